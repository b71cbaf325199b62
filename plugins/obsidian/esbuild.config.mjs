// Builds main.js from src; with --check, compares it with the one that is there and writes nothing.
import { readFile, writeFile } from "node:fs/promises";
import { argv, exit } from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL(".", import.meta.url));
const bundle = `${folder}main.js`;

const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ["src/main.ts"],
    banner: { js: "// Built from src by `npm run build`; do not edit." },
    bundle: true,
    charset: "utf8",
    // The app runs plugins as CommonJS; `import()` there would be the browser's.
    supported: { "dynamic-import": false },
    // The app has these.
    external: ["obsidian", "electron", "@codemirror/*", "node:*"],
    format: "cjs",
    outfile: "main.js",
    target: "es2022",
    write: false,
});
const [made] = outputFiles;

if (argv.includes("--check")) {
    const there = await readFile(bundle).catch(() => Buffer.alloc(0));
    if (Buffer.compare(there, made.contents) !== 0) {
        console.error("error: main.js is not what src builds\nhint: run `npm run build` in plugins/obsidian and commit main.js");
        exit(1);
    }
} else {
    await writeFile(bundle, made.contents);
}
