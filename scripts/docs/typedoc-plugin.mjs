/**
 * For typedoc: the catalogue of resources is data, one long literal. Its page says what it is; its
 * entries are better read in the source.
 */
import { Converter, ReferenceType } from "typedoc";

export function load({ converter }) {
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const entry = project.getChildByName(["backend-billing", "resources"]);
    if (!entry?.type) throw new Error("The catalogue `resources` is not exported any more");
    project.removeTypeReflections(entry.type);
    entry.type = ReferenceType.createBrokenReference("Resources", project, "backend-billing");
  });
}
