import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';
import type { PlantedAttack } from '../attacks/attack-event.ts';
import type { PlacedCliMock } from './cli-mocks.ts';
import type { ControlAction } from './control-event.ts';
import type { PlacedFault } from './faults.ts';
import { delaySchema, templateProblems } from './mock-templates.ts';
import { refineStates, simulateSchema } from './simulate.ts';

const answerKeys = ['result', 'error', 'real', 'simulate'] as const;

const errorSchema = lazySchema(() =>
  z.union([
    z.string(),
    z.strictObject({
      code: z.int().describe('code of a JSON-RPC error'),
      message: z.string().describe('message of the error'),
      data: z.unknown().optional().describe('further data of the error'),
    }),
  ]),
);

const whenSchema = lazySchema(() =>
  z.strictObject({
    args: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('arguments that the call must have; it may have others'),
    call: z.int().min(1).optional().describe('number of the call of this tool in the trial, from 1'),
  }),
);

/** One answer of a mocked tool, and the calls that it is for. */
const toolMockSchema = lazySchema(() =>
  z
    .strictObject({
      when: whenSchema.optional().describe('calls that it answers; all without it'),
      result: z
        .unknown()
        .optional()
        .describe(
          'text, data, or a whole result with `content`; `{{args.name}}` is an argument, `{{call}}` the number',
        ),
      error: errorSchema
        .optional()
        .describe('text of a failed result, or { code, message, data } for an error of the protocol'),
      real: z.literal(true).optional().describe('let the real tool answer'),
      simulate: simulateSchema,
      delay: delaySchema,
    })
    .superRefine((mock, context) => {
      for (const { path, message, column } of [
        ...templateProblems(mock.result, ['result']),
        ...templateProblems(mock.error, ['error']),
      ])
        context.addIssue({ code: 'custom', path: [...path], message, params: { column } });
      const given = answerKeys.filter((key) => mock[key] !== undefined);
      if (given.length === 1) return;
      const message =
        given.length === 0
          ? 'this mock has no answer: add `result`, `error`, `real` or `simulate`'
          : `this mock has several answers: \`${given.join('`, `')}\``;
      context.addIssue({
        code: 'custom',
        message,
        params: { hint: 'Give one of `result`, `error`, `real` and `simulate`.' },
      });
    }),
);
export type ToolMock = z.output<typeof toolMockSchema>;

/** Mocks of one tool: the first whose `when` holds answers. */
export const toolMocksSchema = lazySchema(() => z.union([toolMockSchema, z.array(toolMockSchema).min(1)]));
type ToolMocks = z.output<typeof toolMocksSchema>;

/** The section `tools` of a scenario. */
export const toolsSectionSchema = lazySchema(() =>
  z
    .record(z.string().min(1), toolMocksSchema)
    .superRefine((tools, context) => refineStates(Object.values(tools).flatMap(listedMocks), context))
    .optional()
    .describe('mocked tools by name; a call of one of them that no mock matches gets an error'),
);
export type ToolsSection = z.output<typeof toolsSectionSchema>;

/** A mock of one tool, with its places in the file: as `file:line:column`, or as a path in the data of a server. */
export interface PlacedMock {
  readonly tool: string;
  readonly mock: ToolMock;
  readonly places: { readonly mock: string; readonly answer: string; readonly args: string };
}

/** The mocks of one tool in order, whether one or several are written; each with its path. */
export function listedMocks(written: ToolMocks): { readonly mock: ToolMock; readonly path: readonly number[] }[] {
  if (!Array.isArray(written)) return [{ mock: written, path: [] }];
  return written.map((mock, index) => ({ mock, path: [index] }));
}

/** How the trace of a call begins that no mock of its tool answers; it names the first of them. */
export const unmatchedText = 'no mock matches the arguments';

/** Places of mocks that answered no call of a trial. One that only lets the real tool answer leaves no trace. */
export function unusedMocks(
  { mocks, cliMocks = [] }: Pick<ToolControl, 'mocks' | 'cliMocks'>,
  actions: readonly Pick<ControlAction, 'kind' | 'rule' | 'what'>[],
): string[] {
  const answered = actions.filter(
    ({ kind, what }) => kind === 'simulate' || (kind === 'mock' && !what.startsWith(unmatchedText)),
  );
  const used = new Set(answered.map(({ rule }) => rule));
  const placed = [...mocks.map(({ mock, places }) => ({ mock, place: places.mock })), ...cliMocks];
  return placed.filter(({ mock, place }) => !(mock.real && !mock.delay) && !used.has(place)).map(({ place }) => place);
}

/** The rules of a scenario for the calls of its tools. */
export interface ToolControl {
  /** Of tools of MCP servers. */
  readonly mocks: readonly PlacedMock[];
  /** Of all borders and variants. */
  readonly faults: readonly PlacedFault[];
  /** Of programs. */
  readonly cliMocks?: readonly PlacedCliMock[] | undefined;
  /** The attack of a trial; the scenario has those of all its variants. */
  readonly attack?: PlantedAttack | undefined;
}
