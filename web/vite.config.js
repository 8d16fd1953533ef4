// One script and one style sheet, written into the Python package: installing treewright needs no Node.
import { defineConfig } from "vite";

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../src/treewright/plot/page",
    emptyOutDir: false,
    cssCodeSplit: false,
    target: "es2020",
    lib: { entry: "src/main.jsx", formats: ["iife"], name: "treewrightPage", fileName: () => "page.js", cssFileName: "page" },
  },
});
