import type { ModelTool, ModelToolCall } from '../../../models/model.ts';
import { serverCall } from '../workflow/call-tool.ts';
import type { OfferedTools } from '../workflow/offered-tools.ts';
import type { Surface, SurfaceCall } from './surface.ts';

/** Each tool is offered as it is. */
export class DirectSurface implements Surface {
  readonly #offered: OfferedTools;

  constructor(offered: OfferedTools) {
    this.#offered = offered;
  }

  get forModel(): readonly ModelTool[] {
    return this.#offered.forModel;
  }

  get renamed(): readonly string[] {
    return this.#offered.renamed;
  }

  read(call: ModelToolCall): SurfaceCall {
    return { kind: 'server', call: serverCall(call, this.#offered) };
  }
}
