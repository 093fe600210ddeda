/** VitePress's own theme, with a few lines for pictures and tables. */
import theme from "vitepress/theme";
import "./custom.css";

export default theme;
