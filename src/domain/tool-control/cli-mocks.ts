import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';
import { delaySchema, type MockProblem, templateProblems } from './mock-templates.ts';
import { refineStates, simulateProgramSchema } from './simulate.ts';

/** Stands for any one argument. */
export const anyArgument = '*';

/** Templates in the answers of a mocked program. */
const cliTemplates = {
  names: /^(call|stdin|args(\.\d+)?)$/,
  hint: '`{{args.0}}`, `{{args}}`, `{{stdin}}` or `{{call}}`',
};

const whenSchema = lazySchema(() =>
  z.strictObject({
    args: z
      .array(z.union([z.string(), z.number()]).transform(String))
      .optional()
      .describe('first arguments of the call, in order; `*` is any one argument'),
    exact: z.boolean().optional().describe('true: the call has no arguments after those in `args`'),
    stdin: z.string().min(1).optional().describe('text that the standard input must contain; the input is then read'),
    call: z.int().min(1).optional().describe('number of the call of this program in the trial, from 1'),
  }),
);

const answerKeys = ['stdout', 'stderr', 'exitCode', 'files'] as const;

/** One answer of a mocked program, and the calls that it is for. */
const cliMockSchema = lazySchema(() =>
  z
    .strictObject({
      when: whenSchema.optional().describe('calls that it answers; all without it'),
      stdout: z
        .unknown()
        .optional()
        .describe('text that is printed, or data that is printed as JSON; `{{args.0}}` is the first argument'),
      stderr: z.string().optional().describe('text that is printed to the standard error'),
      exitCode: z.int().min(0).max(255).optional().describe('exit code; 0 by default'),
      files: z
        .record(z.string().min(1), z.string().nullable())
        .optional()
        .describe('files that the call leaves, by path from the folder of the call: a text, or null to remove one'),
      real: z.literal(true).optional().describe('let the real program answer'),
      simulate: simulateProgramSchema,
      delay: delaySchema,
    })
    .superRefine((mock, context) => {
      for (const { path, message, column, hint } of problemsOf(mock))
        context.addIssue({ code: 'custom', path: [...path], message, params: { column, hint } });
    }),
);
export type CliMock = z.output<typeof cliMockSchema>;

interface CliMockProblem extends MockProblem {
  readonly hint?: string | undefined;
}

function problemsOf(mock: z.output<typeof cliMockSchema>): CliMockProblem[] {
  const problems: CliMockProblem[] = answerKeys.flatMap((key) => templateProblems(mock[key], [key], cliTemplates));
  problems.push(...Object.keys(mock.files ?? {}).flatMap((name) => pathProblems(name)));
  const given = answerKeys.filter((key) => mock[key] !== undefined);
  const hint = 'Give `real`, `simulate`, or any of `stdout`, `stderr`, `exitCode` and `files`.';
  const whole = (['real', 'simulate'] as const).filter((key) => mock[key] !== undefined);
  if (whole.length + given.length > 1 && whole.length > 0)
    problems.push({
      path: [],
      message: `this mock has several answers: \`${[...whole, ...given].join('`, `')}\``,
      hint,
    });
  if (whole.length + given.length === 0) problems.push({ path: [], message: 'this mock has no answer', hint });
  if (mock.when?.exact && mock.when.args === undefined)
    problems.push({ path: ['when', 'exact'], message: '`exact` needs `args`' });
  return problems;
}

function pathProblems(name: string): CliMockProblem[] {
  return templateProblems(name, ['files', name], cliTemplates).map(({ path, message }) => ({ path, message }));
}

/** Mocks of one program: the first whose `when` holds answers. */
const cliMocksSchema = lazySchema(() => z.union([cliMockSchema, z.array(cliMockSchema).min(1)]));
type CliMocks = z.output<typeof cliMocksSchema>;

/** The section `tools` of a scenario about programs. */
export const cliToolsSectionSchema = lazySchema(() =>
  z
    .record(z.string().min(1), cliMocksSchema)
    .superRefine((tools, context) => refineStates(Object.values(tools).flatMap(listedCliMocks), context))
    .optional()
    .describe('mocked programs by name; a call of one of them that no mock matches gets an error'),
);

export type CliToolsSection = z.output<typeof cliToolsSectionSchema>;

/** A mock of one program, with its place in the file as `file:line:column`. */
export interface PlacedCliMock {
  readonly tool: string;
  readonly mock: CliMock;
  readonly place: string;
}

/** The mocks of one program in order, whether one or several are written; each with its path. */
export function listedCliMocks(written: CliMocks): { readonly mock: CliMock; readonly path: readonly number[] }[] {
  if (!Array.isArray(written)) return [{ mock: written, path: [] }];
  return written.map((mock, index) => ({ mock, path: [index] }));
}
