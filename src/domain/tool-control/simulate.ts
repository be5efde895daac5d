import * as z from 'zod';
import { canonicalJson } from '../../shared/json.ts';
import { lazySchema } from '../../shared/lazy-schema.ts';

const simulateKeys = () => ({
  model: z.string().min(1).describe('model that answers, as provider/model'),
  state: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'state before the first call; the simulated tools of one server, or the simulated programs of a scenario, share one state',
    ),
  instructions: z
    .string()
    .min(1)
    .optional()
    .describe('what the model has to know about the tool beside its definition'),
});

/** A tool that a model plays. */
export const simulateSchema = lazySchema(() =>
  z.strictObject(simulateKeys()).optional().describe('let a model answer by the definition of the tool, with a state'),
);
export type Simulate = NonNullable<z.output<typeof simulateSchema>>;

/** A program that a model plays. */
export const simulateProgramSchema = lazySchema(() =>
  z
    .strictObject({
      ...simulateKeys(),
      help: z
        .string()
        .min(1)
        .optional()
        .describe('help text of the program; by default the real program is called with --help'),
      stdin: z.literal(true).optional().describe('true: calls read their standard input to its end'),
    })
    .optional()
    .describe('let a model answer by the help text of the program, with a state'),
);

type State = Readonly<Record<string, unknown>>;

/** The state with which simulated tools begin, from those that their mocks give; `conflict` is a key with two values. */
export function sharedState(given: readonly (Pick<Simulate, 'state'> | undefined)[]): {
  readonly state: State;
  readonly conflict: string | undefined;
} {
  const state: Record<string, unknown> = {};
  for (const one of given) {
    for (const [key, value] of Object.entries(one?.state ?? {})) {
      if (Object.hasOwn(state, key) && canonicalJson(state[key]) !== canonicalJson(value))
        return { state, conflict: key };
      state[key] = value;
    }
  }
  return { state, conflict: undefined };
}

interface MockList {
  readonly mock: { readonly simulate?: Pick<Simulate, 'state'> | undefined };
}

/** Reports a key of the state that two mocks of one section give different values. */
export function refineStates(mocks: readonly MockList[], context: z.RefinementCtx): void {
  const { conflict } = sharedState(mocks.map(({ mock }) => mock.simulate));
  if (conflict === undefined) return;
  const message = `simulated tools share one state, and \`${conflict}\` has two values`;
  context.addIssue({ code: 'custom', message, params: { hint: 'Give `state` at one of the tools only.' } });
}
