import type { App as RealApp } from "obsidian";
import { App } from "obsidian-test-mocks/obsidian";
import { expect, test } from "vitest";
import manifest from "../manifest.json";
import NotewellPlugin from "../src/main";
import { DEFAULTS } from "../src/options";
import versions from "../versions.json";

test("the plugin loads with its commands, keeps what is set, and starts nothing by itself", async () => {
    const app: RealApp = App.createConfigured__({}).asOriginalType__();
    const plugin = new NotewellPlugin(app, manifest);
    await plugin.onload();
    expect(plugin.options).toEqual(DEFAULTS);
    expect(plugin.options.starts).toBe(false);
    await plugin.change({ limit: 5 });
    expect(await plugin.loadData()).toEqual({ ...DEFAULTS, limit: 5 });
    plugin.unload();
});

test("the versions file names the app that this version needs", () => {
    expect(versions).toHaveProperty(manifest.version.replaceAll(".", "\\."), manifest.minAppVersion);
});
