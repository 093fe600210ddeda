/** The folder of this package, for what it brings beside its code. Built or not, it is two above. */
export const packageRoot = new URL("../../", import.meta.url);
