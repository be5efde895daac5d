import { cutText, encodeData, redactData } from '../models/prompting/encode-data.ts';
import { contentNonce, raiseFence } from '../models/prompting/fence.ts';
import { templateOf } from '../models/prompting/template.ts';
import rulesText from './prompts/simulated-tool.v1.md?raw';
import callText from './prompts/simulated-tool-call.v1.md?raw';
import repairText from './prompts/simulated-tool-repair.v1.md?raw';

/** Changes with every change of the wording. */
export const promptVersion = 'simulated-tool.v1+simulated-tool-call.v1';

const rules = templateOf(rulesText);
const callPrompt = templateOf(callText);
const repair = templateOf(repairText);

const tokenBudget = 24_000;
const leastTokensOfCall = 200;

/** The wording that requests an answer from a kind of tool. */
export interface AnswerForm {
  readonly what: string;
  readonly form: string;
  readonly example: string;
}

/** A call with the answer that it got. */
export interface AnsweredCall {
  readonly tool: string;
  readonly input: unknown;
  readonly answer: unknown;
}

export interface SimulationPrompt {
  readonly form: AnswerForm;
  readonly definition: unknown;
  readonly instructions: string | undefined;
  readonly state: unknown;
  readonly calls: readonly AnsweredCall[];
  readonly call: Pick<AnsweredCall, 'tool' | 'input'>;
  redact(text: string): string;
}

/** The tool, its state and its calls: equal prompts are equal states, so a recorded reply belongs to its state. */
export function simulationPrompt(given: SimulationPrompt): { readonly system: string; readonly user: string } {
  const { form, definition, instructions, state, calls, call, redact } = given;
  const share = Math.max(leastTokensOfCall, tokenBudget / (calls.length + 1));
  const data = (value: unknown): string => encodeData(redactData(value, redact));
  const lines = [
    ...calls.map(({ tool, input, answer }) => ({
      call: tool,
      arguments: cut(input, share / 2, redact),
      answered: cut(answer, share / 2, redact),
    })),
    { 'call to answer': call.tool, arguments: redactData(call.input, redact) },
  ].map(encodeData);
  // Derived from the data: a recorded reply is found by the same prompt.
  const fence = raiseFence(lines, contentNonce);
  return {
    system: rules({ fence: fence.name }),
    user: callPrompt({
      what: form.what,
      definition: data(definition),
      instructions: data(instructions ?? 'nothing'),
      state: data(state),
      calls: fence.wrap(lines),
      form: form.form,
      example: form.example,
    }),
  };
}

/** Prompts the model again, with what was wrong with its reply. */
export function repairPrompt(problem: string): string {
  return repair({ problem: encodeData(problem) });
}

function cut(value: unknown, tokens: number, redact: (text: string) => string): unknown {
  const redacted = redactData(value, redact);
  const text = typeof redacted === 'string' ? redacted : (JSON.stringify(redacted) ?? 'null');
  return cutText(text, tokens) ?? redacted;
}
