import obsidianmd from "eslint-plugin-obsidianmd";
import { defineConfig, globalIgnores } from "eslint/config";

export default defineConfig([
    globalIgnores(["main.js", "node_modules", "*.mjs", "package-lock.json"]),
    ...obsidianmd.configs.recommended,
    {
        languageOptions: {
            parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
        },
        rules: {
            "obsidianmd/ui/sentence-case": ["warn", { brands: ["Notewell", "PDF"] }],
            // The declarative settings need Obsidian 1.13, which is newer than what we ask for.
            "obsidianmd/settings-tab/prefer-setting-definitions": "off",
        },
    },
    {
        // Tests run in Node, not in the app.
        files: ["tests/**", "vitest.config.ts"],
        rules: {
            "no-restricted-globals": "off",
            "obsidianmd/no-nodejs-modules": "off",
            "obsidianmd/prefer-window-timers": "off",
        },
    },
]);
