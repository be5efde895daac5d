import type { ModelTool, ModelToolCall } from '../../models/model.ts';
import type { CallOutcome, ServerCall } from './call-tool.ts';

/** The outcome of a tool that is not one of the server's. */
export interface OwnOutcome {
  readonly text: string;
  readonly error?: string | undefined;
}

/** Makes a call to the server, which is on record like any other. */
export type MakeServerCall = (call: ServerCall) => Promise<CallOutcome>;

/** The meaning of a call of the model: a tool of the server, or one that the surface has in its place. */
export type SurfaceCall =
  | { readonly kind: 'server'; readonly call: ServerCall }
  | {
      readonly kind: 'search' | 'program';
      run(makeCall: MakeServerCall, signal: AbortSignal): Promise<OwnOutcome>;
    };

/** The tools of a server in the way that a model gets to see them. */
export interface Surface {
  readonly forModel: readonly ModelTool[];
  /** Which tools the model knows by other names than the server. */
  readonly renamed: readonly string[];
  read(call: ModelToolCall): SurfaceCall;
}
