import type { ControlAction } from '../../../domain/tool-control/control-event.ts';
import type { PlacedFault } from '../../../domain/tool-control/faults.ts';
import { isRecord } from '../../../shared/json.ts';

type Message = Readonly<Record<string, unknown>>;

/** Tools that a server lost on purpose: gone from the call that met it until a call of the tool works again. */
export class RemovedTools {
  readonly #faults: readonly PlacedFault[];
  readonly #gone = new Set<string>();

  constructor(faults: readonly PlacedFault[]) {
    this.#faults = faults.filter(({ fault }) => fault.fault === 'tool-removed');
  }

  /** Whether the server says that it can announce changes of its list. */
  get isAnnouncing(): boolean {
    return this.#faults.some(({ fault }) => fault.announced);
  }

  note({ fault, tool }: ControlAction): void {
    if (fault === 'tool-removed') this.#gone.add(tool);
  }

  /** A call of the tool is decided on again. */
  forget(tool: string): void {
    this.#gone.delete(tool);
  }

  /** The announcement that a tool is gone; undefined for one that is there, or that goes silently. */
  announcementOf(tool: string): Message | undefined {
    const isAnnounced = this.#faults.some(
      ({ fault }) => fault.announced && (fault.tool === undefined || [fault.tool].flat().includes(tool)),
    );
    if (!this.#gone.has(tool) || !isAnnounced) return undefined;
    return { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
  }

  /** A page of the list of tools without those that are gone. */
  listed(page: Message): Message {
    if (!Array.isArray(page.tools) || this.#gone.size === 0) return page;
    const tools = page.tools.filter((tool) => !isRecord(tool) || !this.#gone.has(String(tool.name)));
    return { ...page, tools };
  }

  /** The greeting of a server that announces changes: clients listen for them only then. */
  greeting(result: Message): Message {
    if (!this.isAnnouncing || !isRecord(result.capabilities)) return result;
    const { tools } = result.capabilities;
    const changing = { ...(isRecord(tools) ? tools : {}), listChanged: true };
    return { ...result, capabilities: { ...result.capabilities, tools: changing } };
  }
}
