import { type App as RealApp, Platform, type WorkspaceLeaf as RealLeaf } from "obsidian";
import { App, Menu, WorkspaceLeaf } from "obsidian-test-mocks/obsidian";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { AskView } from "../src/ask_view";
import type { Connection } from "../src/connection";
import { RelatedView } from "../src/related_view";
import { fileAt } from "../src/open";
import { SearchModal } from "../src/search_modal";
import { StatusItem } from "../src/status_item";
import { connect, indexed, makeVault, NOTES, remove } from "./real";

let folder: string;
let connection: Connection;
let app: RealApp;
let leaf: RealLeaf;

beforeAll(async () => {
    Platform.isDesktop = true;
    folder = makeVault();
    connection = connect(folder, { starts: true });
    const mocked = App.createConfigured__({ files: NOTES });
    app = mocked.asOriginalType__();
    leaf = WorkspaceLeaf.create2__(mocked).asOriginalType3__();
    await indexed(connection);
});

afterAll(() => {
    connection.end();
    remove(folder);
});

/** Return the hits that a modal shows, drawn. */
async function drawn(modal: SearchModal, query: string): Promise<HTMLElement[]> {
    const found = await modal.getSuggestions(query);
    return found.map((one) => {
        const element = createDiv();
        modal.renderSuggestion(one, element);
        return element;
    });
}

test("the modal shows notes with their folder, heading and marked words, and keeps markup as text", async () => {
    const modal = new SearchModal(app, connection, 10);
    const [best] = await drawn(modal, "loaf spread flat");
    expect(best?.querySelector(".notewell-name")?.textContent).toBe("Bread");
    expect(best?.querySelector(".notewell-heading")?.textContent).toBe("Shaping");
    expect(best?.querySelector("mark")?.textContent).toBe("loaf");
    const [hostile] = await drawn(modal, "picture of a cat");
    expect(hostile?.querySelector("img")).toBeNull();
    expect(hostile?.textContent).toContain("<img src=x>");
    expect(await drawn(modal, "  ")).toEqual([]);
    const overtaken = modal.getSuggestions("loaf spread flat");
    expect(await modal.getSuggestions("")).toEqual([]);
    expect(await overtaken).toEqual([]);
});

test("↵ opens the line, ⌘↵ a new tab, and ⇧↵ inserts a link", async () => {
    const modal = new SearchModal(app, connection, 10);
    const [best] = await modal.getSuggestions("loaf spread flat");
    const openFile = vi.spyOn(WorkspaceLeaf.prototype, "openFile").mockResolvedValue();
    const getLeaf = vi.spyOn(app.workspace, "getLeaf").mockReturnValue(leaf);
    const inserted: string[] = [];
    app.workspace.activeEditor = { editor: { replaceSelection: (text: string) => inserted.push(text) } } as never;
    const press = (keys: KeyboardEventInit) => modal.onChooseSuggestion(best!, new KeyboardEvent("keydown", { key: "Enter", ...keys }));
    press({});
    press({ shiftKey: true });
    await vi.waitFor(() => expect(openFile).toHaveBeenCalledTimes(1));
    expect(getLeaf).toHaveBeenLastCalledWith(false);
    expect(openFile.mock.calls[0]?.[0].path).toBe("Bread.md");
    expect(openFile.mock.calls[0]?.[1]).toMatchObject({ eState: { line: 6 } });
    expect(inserted).toHaveLength(1);
    expect(inserted[0]).toContain("Bread");
    press({ ctrlKey: true });
    await vi.waitFor(() => expect(openFile).toHaveBeenCalledTimes(2));
    expect(getLeaf).toHaveBeenLastCalledWith("tab");
    vi.restoreAllMocks();
});

test("a server that is gone is said in the modal, and the next letter finds it again", async () => {
    const away = connect(folder, { address: "http://127.0.0.1:1" });
    const modal = new SearchModal(app, away, 10);
    expect(await drawn(modal, "loaf")).toEqual([]);
    expect(modal.emptyStateText).toContain("No Notewell server answers at http://127.0.0.1:1");
});

test("the pane shows notes that are like the lines at the cursor, once it rests", async () => {
    const view = new RelatedView(leaf, connection);
    vi.spyOn(view.contentEl, "isShown").mockReturnValue(true);
    app.workspace.activeEditor = {
        file: app.vault.getFileByPath("Garden/Bees & wasps #1.md"),
        editor: { getCursor: () => ({ line: 2, ch: 0 }) },
    } as never;
    await view.look();
    expect(view.contentEl.querySelector(".notewell-hit")).toBeNull();
    await view.look();
    expect(view.contentEl.querySelector(".notewell-name")?.textContent).toBe("Mites");
    // A click into the pane takes the editor's focus; the pane stays as it is.
    const related = vi.spyOn(connection, "ask");
    app.workspace.activeEditor = null;
    vi.spyOn(app.workspace, "getActiveFile").mockReturnValue(app.vault.getFileByPath("Garden/Bees & wasps #1.md"));
    await view.look();
    await view.look();
    expect(related).not.toHaveBeenCalled();
    vi.restoreAllMocks();
});

test("after a problem, the pane asks again only some seconds later", async () => {
    const away = connect(folder, { address: "http://127.0.0.1:1" });
    const asked = vi.spyOn(away, "ask");
    const view = new RelatedView(leaf, away);
    vi.spyOn(view.contentEl, "isShown").mockReturnValue(true);
    app.workspace.activeEditor = { file: app.vault.getFileByPath("Bread.md"), editor: null } as never;
    const now = vi.spyOn(Date, "now").mockReturnValue(0);
    for (let looks = 0; looks < 4; looks++) await view.look();
    expect(asked).toHaveBeenCalledTimes(1);
    expect(view.contentEl.textContent).toContain("No Notewell server answers");
    now.mockReturnValue(60_000);
    await view.look();
    expect(asked).toHaveBeenCalledTimes(2);
    vi.restoreAllMocks();
});

test("the pane says of a picture that it is not indexed", async () => {
    const view = new RelatedView(leaf, connection);
    vi.spyOn(view.contentEl, "isShown").mockReturnValue(true);
    app.workspace.activeEditor = { file: { path: "Photo.png" }, editor: null } as never;
    await view.look();
    await view.look();
    expect(view.contentEl.textContent).toBe("This file is not indexed.");
    vi.restoreAllMocks();
});

test("a note is found under the name that the app shows", () => {
    const named = App.createConfigured__({ files: { "K\u00fcche.md": "" } }).asOriginalType__();
    expect(fileAt(named, "Ku\u0308che.md")?.path).toBe("K\u00fcche.md");
    expect(fileAt(named, "Bad.md")).toBeNull();
});

test("the status item counts the notes, and its menu pauses background work and resumes it", async () => {
    const element = createDiv();
    const status = new StatusItem(element, connection);
    await status.look();
    expect(element.textContent).toBe("Notewell: 4 notes");
    const shown = vi.spyOn(Menu.prototype, "showAtMouseEvent");
    const choose = async (title: string, paused: boolean) => {
        element.click();
        const menu = shown.mock.contexts.at(-1) as Menu;
        const item = menu.menuItems__.find((one) => one.title__ === title);
        item?.onClick__?.(new MouseEvent("click"));
        await vi.waitFor(async () => expect((await connection.ask((client) => client.health())).paused).toBe(paused));
        await status.look();
    };
    await choose("Pause background work", true);
    await choose("Resume background work", false);
    vi.restoreAllMocks();
    const away = createDiv();
    await new StatusItem(away, connect(folder, { address: "http://127.0.0.1:1" })).look();
    expect(away.textContent).toBe("Notewell: off");
    expect(away.getAttr("aria-label")).toContain("No Notewell server answers");
});

test("an answer shows quotes that were proven, each with its line", async () => {
    const view = new AskView(leaf, connection);
    await (view as unknown as { onOpen(): Promise<void> }).onOpen();
    await view.ask("When do we treat the bees?");
    expect(view.contentEl.querySelector("blockquote")?.textContent).toContain("We treat the bees in August.");
    expect(view.contentEl.querySelector(".notewell-proven")?.textContent).toBe("[1] ✓ in the note, line 3");
    // Without a mouse, too, the quote opens its line.
    const openFile = vi.spyOn(WorkspaceLeaf.prototype, "openFile").mockResolvedValue();
    vi.spyOn(app.workspace, "getLeaf").mockReturnValue(leaf);
    const quote = view.contentEl.querySelector<HTMLElement>(".notewell-quote");
    expect(quote?.tabIndex).toBe(0);
    quote?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
    await vi.waitFor(() => expect(openFile).toHaveBeenCalledTimes(1));
    expect(openFile.mock.calls[0]?.[1]).toMatchObject({ eState: { line: 2 } });
    vi.restoreAllMocks();
});
