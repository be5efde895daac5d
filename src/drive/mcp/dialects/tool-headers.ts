import { isRecord } from '../../../shared/json.ts';
import { printable } from '../../../shared/text.ts';
import type { IncomingHandlers } from '../incoming.ts';
import type { ToolDefinition } from '../session.ts';
import { type HeaderParameters, headerParametersOf, parameterHeaders } from './header-parameters.ts';

type Params = Readonly<Record<string, unknown>>;

/** Headers of tool calls over HTTP, as the listed tools require them. */
export class ToolHeaders {
  readonly #incoming: IncomingHandlers;
  readonly #tools = new Map<string, HeaderParameters>();

  constructor(incoming: IncomingHandlers) {
    this.#incoming = incoming;
  }

  /** Reads a page of tools. */
  learn(tools: unknown): void {
    if (!Array.isArray(tools)) return;
    for (const tool of tools as unknown[]) {
      if (!isRecord(tool) || typeof tool.name !== 'string' || !isRecord(tool.inputSchema)) continue;
      const { name } = tool;
      const found = headerParametersOf(tool.inputSchema);
      if ('problem' in found && !this.#tools.has(name)) {
        const example = (): string => `${printable(name)}: ${found.problem}`;
        this.#incoming.violations.note('tools with an unusable `x-mcp-header`, which are left out', example);
      }
      this.#tools.set(name, found);
    }
  }

  /** The headers of a call; none for a tool that was not listed. */
  of({ name, arguments: args }: Params): Record<string, string> {
    const found = this.#tools.get(String(name));
    return found && 'parameters' in found ? parameterHeaders(found.parameters, args) : {};
  }

  isUsable({ name }: ToolDefinition): boolean {
    const found = this.#tools.get(name);
    return !found || 'parameters' in found;
  }
}
