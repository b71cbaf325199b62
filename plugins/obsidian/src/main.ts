import { FileSystemAdapter, Platform, Plugin, requestUrl, type WorkspaceLeaf } from "obsidian";
import { ASK, AskView } from "./ask_view";
import type { Request, Response } from "./client";
import { Connection } from "./connection";
import { DEFAULTS, type Options, readOptions } from "./options";
import { RELATED, RelatedView } from "./related_view";
import { SearchModal } from "./search_modal";
import { SettingsTab } from "./settings_tab";
import { StatusItem } from "./status_item";

/** Send a request with the app, which is not bound by CORS, as a page would be. */
async function sendWithApp({ url, method, headers }: Request): Promise<Response> {
    const { status, text } = await requestUrl({ url, method, headers, throw: false });
    return { status, text };
}

/** Notewell inside Obsidian: commands, panes, the status item and the settings. */
export default class NotewellPlugin extends Plugin {
    options: Options = DEFAULTS;
    private connection!: Connection;
    private status: StatusItem | null = null;

    override async onload(): Promise<void> {
        this.options = readOptions(await this.loadData());
        this.connection = new Connection({
            folder: this.folder(),
            send: sendWithApp,
            options: () => this.options,
            token: () => this.token(),
        });
        this.register(() => this.connection.end());
        this.registerView(RELATED, (leaf) => new RelatedView(leaf, this.connection));
        this.registerView(ASK, (leaf) => new AskView(leaf, this.connection));
        this.addCommands();
        this.addSettingTab(new SettingsTab(this.app, this));
        // Obsidian has no status bar on phones.
        if (!Platform.isMobile) {
            const status = (this.status = new StatusItem(this.addStatusBarItem(), this.connection));
            this.app.workspace.onLayoutReady(() => status.follow(this));
        }
    }

    /** Change options, and save them. */
    async change(changed: Partial<Options>): Promise<void> {
        this.use({ ...this.options, ...changed });
        await this.saveData(this.options);
    }

    /** Use what another device or program has saved. */
    override async onExternalSettingsChange(): Promise<void> {
        this.use(readOptions(await this.loadData()));
    }

    /** Use options, and connect again if they say where the server is. */
    private use(options: Options): void {
        const before = this.options;
        this.options = options;
        if (JSON.stringify({ ...before, limit: 0 }) !== JSON.stringify({ ...options, limit: 0 })) this.connection.reset();
        // Now, and not when it is next due; a text is still being typed.
        if (before.starts !== options.starts) void this.status?.look();
    }

    /** Return the token from the app's secret storage; it may have been pasted with a line break. */
    private token(): string {
        const name = this.options.tokenName;
        return (name && this.app.secretStorage.getSecret(name)?.trim()) || "";
    }

    /** Return the vault's folder; a phone's vault has none that another program could read. */
    private folder(): string {
        const adapter = this.app.vault.adapter;
        return adapter instanceof FileSystemAdapter ? adapter.getBasePath() : "";
    }

    private addCommands(): void {
        const search = () => new SearchModal(this.app, this.connection, this.options.limit).open();
        this.addRibbonIcon("search", "Search with Notewell", search);
        this.addCommand({ id: "search", name: "Search", callback: search });
        this.addCommand({ id: "related", name: "Show related notes", callback: () => void this.reveal(RELATED) });
        this.addCommand({ id: "ask", name: "Ask a question", callback: () => void this.reveal(ASK) });
        this.addCommand({ id: "connect", name: "Connect again", callback: () => this.connectAgain() });
    }

    /** Forget the server, connect again, and show at once how that went. */
    private connectAgain(): void {
        this.connection.reset();
        void this.status?.look();
    }

    private async reveal(type: string): Promise<void> {
        const { workspace } = this.app;
        const open: WorkspaceLeaf | undefined = workspace.getLeavesOfType(type)[0];
        const leaf = open ?? workspace.getRightLeaf(false);
        if (!leaf) return;
        if (!open) await leaf.setViewState({ type, active: true });
        await workspace.revealLeaf(leaf);
    }
}
