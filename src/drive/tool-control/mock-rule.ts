import { type PlacedMock, type ToolMock, unmatchedText } from '../../domain/tool-control/mocks.ts';
import { differenceOfValues } from '../../domain/tools/tool-meaning.ts';
import { isRecord } from '../../shared/json.ts';
import { fillTemplates, type TemplateValues, templatesIn } from '../../shared/templates.ts';
import { cutMiddle } from '../../shared/text.ts';
import type { ControlRule, NumberedCall, Ruling } from './control.ts';
import { type FailedSimulation, type ToolSimulator, withoutRun } from './simulator.ts';

/** The answer of a mock, with its templates filled in. */
export type MockAnswer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: NonNullable<ToolMock['error']> }
  /** The mock cannot answer this call, so the trial cannot be judged. */
  | { readonly kind: 'unusable'; readonly why: string }
  | FailedSimulation;

const longestArguments = 200;

/** Answers calls of mocked tools; `toReply` puts an answer into the form of the border. */
export class MockRule<Reply> implements ControlRule<Reply> {
  readonly #mocks = new Map<string, PlacedMock[]>();
  readonly #toReply: (answer: MockAnswer) => Reply;
  readonly #simulator: ToolSimulator | undefined;

  constructor(
    mocks: readonly PlacedMock[],
    toReply: (answer: MockAnswer) => Reply,
    simulator: ToolSimulator | undefined,
  ) {
    for (const placed of mocks) this.#mocks.set(placed.tool, [...(this.#mocks.get(placed.tool) ?? []), placed]);
    this.#toReply = toReply;
    this.#simulator = simulator;
  }

  decide(call: NumberedCall): Ruling<Reply> | undefined {
    const mocks = this.#mocks.get(call.tool);
    const [first] = mocks ?? [];
    if (!mocks || !first) return undefined;
    const matching = mocks.find(({ mock }) => isFor(mock, call));
    if (!matching) return this.#unmatched(call, first);
    const { mock, places } = matching;
    const rule = places.mock;
    const delayMs = mock.delay ?? 0;
    if (mock.real) return delayMs === 0 ? undefined : { kind: 'mock', rule, what: `delayed by ${delayMs} ms`, delayMs };
    if (mock.simulate) return { rule, delayMs, ...this.#simulated(call, rule) };
    const answer = answerOf(mock, call);
    const what =
      answer.kind === 'unusable' ? answer.why : `answered with ${answer.kind === 'error' ? 'an error' : 'a result'}`;
    return { kind: 'mock', rule, what, delayMs, reply: this.#toReply(answer) };
  }

  #simulated(
    { tool, number, args }: NumberedCall,
    place: string,
  ): Pick<Ruling<Reply>, 'kind' | 'what' | 'reply' | 'play'> {
    const simulator = this.#simulator;
    if (!simulator)
      return { kind: 'mock', what: withoutRun, reply: this.#toReply({ kind: 'unusable', why: withoutRun }) };
    const play: Ruling<Reply>['play'] = async (definition, signal) =>
      this.#toReply(await simulator.answer({ tool, number, place, input: args, definition }, signal));
    return { kind: 'simulate', what: 'is answered by a model', play };
  }

  #unmatched({ tool, args }: NumberedCall, { places }: PlacedMock): Ruling<Reply> {
    const written = cutMiddle(JSON.stringify(args), longestArguments);
    const error = `No mock of "${tool}" matches these arguments: ${written}`;
    const what = `${unmatchedText} ${written}`;
    return { kind: 'mock', rule: places.mock, what, reply: this.#toReply({ kind: 'error', error }) };
  }
}

function isFor({ when }: ToolMock, { args, number }: NumberedCall): boolean {
  if (when?.call !== undefined && when.call !== number) return false;
  return when?.args === undefined || differenceOfValues(when.args, args, 'subset') === undefined;
}

function answerOf({ result, error }: ToolMock, { args, number }: NumberedCall): Exclude<MockAnswer, FailedSimulation> {
  const written = error ?? result;
  const templates = templatesIn(written, []);
  const values: TemplateValues = templates.length === 0 ? {} : { call: number, ...namedValues('args', args) };
  const missing = templates.find(({ name }) => name === undefined || !Object.hasOwn(values, name));
  if (missing) return { kind: 'unusable', why: `uses ${missing.written}, which the call does not have` };
  const filled = fillTemplates(written, values);
  return error === undefined
    ? { kind: 'result', result: filled }
    : { kind: 'error', error: filled as NonNullable<ToolMock['error']> };
}

/** Every value inside of another by its path: `args`, `args.order`, `args.order.id`, `args.list.0`. */
function namedValues(name: string, value: unknown): TemplateValues {
  const inner = isRecord(value) || Array.isArray(value) ? Object.entries(value) : [];
  const parts = inner.map(([key, part]) => namedValues(`${name}.${key}`, part));
  return Object.assign({ [name]: value }, ...parts) as TemplateValues;
}
