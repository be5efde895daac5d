import { isRecord } from '../../../shared/json.ts';
import type { ModelTool, ModelToolCall } from '../../models/model.ts';
import { serverCall } from './call-tool.ts';
import type { OfferedTools } from './offered-tools.ts';
import type { Surface, SurfaceCall } from './surface.ts';
import { answerSearch, searchTools } from './tool-search.ts';

/** Two tools stand for all: one finds others, the other calls them. */
export class SearchSurface implements Surface {
  readonly forModel: readonly ModelTool[] = [searchTools.find, searchTools.call];
  readonly #offered: OfferedTools;

  constructor(offered: OfferedTools) {
    this.#offered = offered;
  }

  get renamed(): readonly string[] {
    return this.#offered.renamed;
  }

  read(call: ModelToolCall): SurfaceCall {
    const { tool, input, callId } = call;
    if (tool === searchTools.find.name)
      return { kind: 'search', run: async () => answerSearch(this.#offered.forModel, input) };
    // A model that calls a tool it found by its name means the same.
    if (tool !== searchTools.call.name) return { kind: 'server', call: serverCall(call, this.#offered) };
    const { name, arguments: given } = isRecord(input) ? input : {};
    if (typeof name !== 'string') {
      const refusal = '`name` must be the name of a tool.';
      return { kind: 'server', call: { tool: searchTools.call.name, input, refusal } };
    }
    return { kind: 'server', call: serverCall({ callId, tool: name, input: given }, this.#offered) };
  }
}
