import * as z from 'zod';
import { isRecord } from '../../shared/json.ts';
import { lazySchema } from '../../shared/lazy-schema.ts';
import { problemOfData } from '../tool-control/check-mock.ts';
import type { SimulatedOutput, SimulatedResult } from '../tool-control/simulator.ts';
import type { AnswerForm } from './simulation-prompt.ts';

/** A reply of a model: the answer of the tool, and the state after it. */
export interface PlayedCall<Answer> {
  readonly answer: Answer;
  readonly state: Readonly<Record<string, unknown>>;
}

/** How a kind of tool is played: what the model has to reply, and what is an answer of the tool. */
export interface Part<Answer> extends AnswerForm {
  readonly schema: z.ZodType<PlayedCall<Answer>>;
  /** Why an answer is not one of this tool; undefined where it is. */
  problemOf(answer: Answer, definition: unknown): string | undefined;
  describe(answer: Answer): string;
}

/** The state is a part of every prompt. */
const longestState = 40_000;
const longestText = 200_000;

const state = () =>
  z
    .record(z.string(), z.unknown())
    .refine((given) => JSON.stringify(given).length <= longestState, `longer than ${longestState} characters of JSON`);

/** A tool of an MCP server, or of a `toolLoop`. */
export const toolPart: Part<SimulatedResult> = {
  what: 'tool, as it is offered to its callers',
  form: [
    'Give one of "result" and "error".',
    '- "result": what the tool returns: a JSON value that fits its output schema where it has one, otherwise a text or a JSON value.',
    '- "error": the text of the error, where the call fails.',
  ].join('\n'),
  example: '{"result":…,"state":{…}} or {"error":"…","state":{…}}',
  schema: lazySchema(() =>
    z
      .object({
        result: z.unknown().optional(),
        error: z.string().min(1).max(longestText).nullish(),
        state: state(),
      })
      .refine(
        ({ result, error }) => (result === undefined || result === null) !== (error === undefined || error === null),
        'give one of "result" and "error"',
      )
      .transform(
        ({ result, error, state }): PlayedCall<SimulatedResult> => ({
          answer: typeof error === 'string' ? { kind: 'error', error } : { kind: 'result', result },
          state,
        }),
      ),
  ),
  problemOf(answer, definition) {
    if (answer.kind === 'error') return undefined;
    if ((JSON.stringify(answer.result) ?? '').length > longestText) return '"result" is too long';
    return problemOfData(answer.result, isRecord(definition) ? definition.outputSchema : undefined);
  },
  describe: ({ kind }) => `answered with ${kind === 'error' ? 'an error' : 'a result'}`,
};

const text = () => z.string().max(longestText).default('');

/** A program, played by its help text. */
export const programPart: Part<SimulatedOutput> = {
  what: 'help text of the program',
  form: [
    'The arguments are those of the command line, without the name of the program.',
    '- "stdout" and "stderr": what the program prints, with its line ends.',
    '- "exitCode": its exit code.',
    '- "files": files that it leaves, by their path from the folder of the call: the whole text, or null for a file that it removes. Empty where it leaves none.',
  ].join('\n'),
  example: '{"stdout":"…","stderr":"…","exitCode":0,"files":{},"state":{…}}',
  schema: lazySchema(() =>
    z
      .object({
        stdout: text(),
        stderr: text(),
        exitCode: z.int().min(0).max(255),
        files: z.record(z.string().min(1), z.string().max(longestText).nullable()).default({}),
        state: state(),
      })
      .transform(
        ({ state, ...output }): PlayedCall<SimulatedOutput> => ({ answer: { kind: 'output', ...output }, state }),
      ),
  ),
  problemOf({ files }) {
    const outside = Object.keys(files).find((path) => path.startsWith('/') || path.split('/').includes('..'));
    return outside === undefined ? undefined : `the file ${JSON.stringify(outside)} is outside the folder of the call`;
  },
  describe: ({ exitCode }) => `answered with exit code ${exitCode}`,
};
