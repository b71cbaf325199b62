import { defineConfig } from "vitest/config";

export default defineConfig({
    // The package `obsidian` has types only. The app cannot run here; the server is the real one.
    resolve: { alias: { obsidian: "obsidian-test-mocks/obsidian" } },
    test: {
        environment: "jsdom",
        // What Obsidian adds to the elements of the page.
        setupFiles: ["tests/app.ts"],
        include: ["tests/**/*.test.ts"],
        // A server starts and indexes notes; the limit only ends a hang.
        testTimeout: 120_000,
        hookTimeout: 120_000,
    },
});
