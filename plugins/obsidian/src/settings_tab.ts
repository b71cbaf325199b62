import { type App, PluginSettingTab, SecretComponent, Setting } from "obsidian";
import type NotewellPlugin from "./main";
import { DEFAULTS, loopback, type Options } from "./options";

// Where pipx and uv put it.
const USUAL = "~/.local/bin/notewell";
const ADDRESS = "The address of a running server on this computer that serves this vault.";

/** The settings of the plugin. */
export class SettingsTab extends PluginSettingTab {
    constructor(
        app: App,
        private readonly owner: NotewellPlugin,
    ) {
        super(app, owner);
    }

    override display(): void {
        this.containerEl.empty();
        this.drawServer();
        if (this.owner.options.starts) this.drawProgram();
        else this.drawAddress();
        this.drawToken();
        this.drawLimit();
    }

    private drawServer(): void {
        new Setting(this.containerEl)
            .setName("Start Notewell for this vault")
            .setDesc("Starts the server when this vault opens, and stops it when the vault closes. If off, the plugin uses a running server.")
            .addToggle((toggle) =>
                toggle.setValue(this.owner.options.starts).onChange(async (starts) => {
                    await this.save({ starts });
                    this.display();
                }),
            );
    }

    private drawProgram(): void {
        new Setting(this.containerEl)
            .setName("Program")
            .setDesc("The program's full path. If empty, the plugin looks in the usual places.")
            .addText((text) =>
                text
                    .setPlaceholder(USUAL)
                    .setValue(this.owner.options.program)
                    .onChange((program) => this.save({ program: program.trim() })),
            );
    }

    private drawAddress(): void {
        const setting = new Setting(this.containerEl).setName("Address").setDesc(ADDRESS);
        setting.addText((text) =>
            text
                .setPlaceholder(DEFAULTS.address)
                .setValue(this.owner.options.address)
                .onChange(async (address) => {
                    const here = loopback(address) !== null;
                    setting.setDesc(here ? ADDRESS : `Not saved: ${address} is not an address on this computer.`);
                    if (here) await this.save({ address: address.trim() });
                }),
        );
    }

    private drawToken(): void {
        new Setting(this.containerEl)
            .setName("Token")
            .setDesc("Only for a server that requires one. Obsidian stores it, not this plugin.")
            .addComponent((element) =>
                new SecretComponent(this.app, element)
                    .setValue(this.owner.options.tokenName)
                    .onChange((tokenName) => this.save({ tokenName })),
            );
    }

    private drawLimit(): void {
        new Setting(this.containerEl)
            .setName("Results")
            .setDesc("How many results a search shows.")
            .addSlider((slider) =>
                slider
                    .setLimits(5, 50, 5)
                    .setValue(this.owner.options.limit)
                    .onChange((limit) => this.save({ limit })),
            );
    }

    private save(changed: Partial<Options>): Promise<void> {
        return this.owner.change(changed);
    }
}
