import type { App as RealApp } from "obsidian";
import { App, SecretComponent, TextComponent, ToggleComponent } from "obsidian-test-mocks/obsidian";
import { expect, test, vi } from "vitest";
import manifest from "../manifest.json";
import NotewellPlugin from "../src/main";
import { DEFAULTS } from "../src/options";
import { SettingsTab } from "../src/settings_tab";
import { StatusItem } from "../src/status_item";
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

test("the status is asked for as soon as starting is allowed, and not for each letter of an address", async () => {
    const app: RealApp = App.createConfigured__({}).asOriginalType__();
    const plugin = new NotewellPlugin(app, manifest);
    await plugin.onload();
    const look = vi.spyOn(StatusItem.prototype, "look").mockResolvedValue();
    await plugin.change({ address: "http://127.0.0.1:9" });
    expect(look).not.toHaveBeenCalled();
    await plugin.change({ starts: true });
    expect(look).toHaveBeenCalledTimes(1);
    plugin.unload();
    vi.restoreAllMocks();
});

test("the command to connect again shows at once how that went", async () => {
    const app: RealApp = App.createConfigured__({}).asOriginalType__();
    const plugin = new NotewellPlugin(app, manifest);
    const added = vi.spyOn(plugin, "addCommand");
    await plugin.onload();
    const look = vi.spyOn(StatusItem.prototype, "look").mockResolvedValue();
    const command = added.mock.calls.map(([one]) => one).find((one) => one.id === "connect");
    await command?.callback?.();
    expect(look).toHaveBeenCalledTimes(1);
    plugin.unload();
    vi.restoreAllMocks();
});

test("what another device saved is used, and not overwritten by the next change", async () => {
    const app: RealApp = App.createConfigured__({}).asOriginalType__();
    const plugin = new NotewellPlugin(app, manifest);
    await plugin.onload();
    const look = vi.spyOn(StatusItem.prototype, "look").mockResolvedValue();
    await plugin.saveData({ ...DEFAULTS, starts: true, program: "/opt/notewell" });
    await plugin.onExternalSettingsChange();
    expect(look).toHaveBeenCalledTimes(1);
    await Promise.all([plugin.change({ limit: 5 }), plugin.change({ tokenName: "mine" })]);
    const all = { ...DEFAULTS, starts: true, program: "/opt/notewell", limit: 5, tokenName: "mine" };
    expect(await plugin.loadData()).toEqual(all);
    plugin.unload();
    vi.restoreAllMocks();
});

test("the settings say where the server is, and the app keeps the token", async () => {
    const app: RealApp = App.createConfigured__({}).asOriginalType__();
    const plugin = new NotewellPlugin(app, manifest);
    await plugin.onload();
    const toggles = vi.spyOn(ToggleComponent.prototype, "onChange");
    const texts = vi.spyOn(TextComponent.prototype, "onChange");
    const secrets = vi.spyOn(SecretComponent.prototype, "onChange");
    const tab = new SettingsTab(app, plugin);
    tab.display();
    expect(tab.containerEl.textContent).toContain("Address");
    await texts.mock.calls[0]?.[0]("http://10.0.0.1:8483");
    expect(plugin.options.address).toBe(DEFAULTS.address);
    expect(tab.containerEl.textContent).toContain("Not saved: http://10.0.0.1:8483 is not an address on this computer");
    await texts.mock.calls[0]?.[0]("http://127.0.0.1:9000");
    await toggles.mock.calls[0]?.[0](true);
    expect(tab.containerEl.textContent).not.toContain("Address");
    expect(tab.containerEl.textContent).toContain("Program");
    app.secretStorage.setSecret("mine", "the token\n");
    await secrets.mock.calls[0]?.[0]("mine");
    expect(plugin.options).toMatchObject({ address: "http://127.0.0.1:9000", starts: true, tokenName: "mine" });
    expect(JSON.stringify(await plugin.loadData())).not.toContain("the token");
    const { around } = (plugin as unknown as { connection: { around: { token(): string } } }).connection;
    expect(around.token()).toBe("the token");
    plugin.unload();
    vi.restoreAllMocks();
});

test("the versions file names the app that this version needs", () => {
    expect(versions).toHaveProperty(manifest.version.replaceAll(".", "\\."), manifest.minAppVersion);
});
