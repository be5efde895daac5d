import * as z from 'zod';
import { sha256 } from '../../../../shared/ids.ts';
import { canonicalJson } from '../../../../shared/json.ts';

const columns = () =>
  z.union([
    z
      .string()
      .min(1)
      .transform((column) => [column]),
    z.array(z.string().min(1)).min(1),
  ]);

const shared = () => ({
  key: columns()
    .optional()
    .describe('column, or columns, by which a row is the same one; by default the primary key, or `id`'),
  ignore: columns().optional().describe('columns that are not compared, such as times'),
  timeoutSecs: z.number().positive().max(3_600).default(30).describe('time limit of each snapshot'),
});
const place = () => ({
  place: z
    .enum(['scenario', 'work'])
    .default('scenario')
    .describe('what a relative path starts from: the folder of the scenario, or the work directory of the agent'),
});
const absent = () =>
  z.enum(['error', 'empty']).default('error').describe('what it means that there is none, as before a tool creates it');
const list = () =>
  z.string().startsWith('$').optional().describe('JSONPath of the rows; by default the whole document');

/** Where a state is read from. Paths and addresses are as written: `${VAR}` is expanded where they are used. */
export const stateSchema = () =>
  z.union([
    z.strictObject({
      sqlite: z.string().min(1).describe('database file'),
      query: z
        .string()
        .min(1)
        .optional()
        .describe('gives the rows; by default those of all tables, with their `table`'),
      absent: absent(),
      ...place(),
      ...shared(),
    }),
    z.strictObject({
      postgres: z.string().min(1).describe('address of the database; ${VAR} is expanded'),
      query: z.string().min(1).describe('gives the rows; it runs in a transaction that only reads'),
      ...shared(),
    }),
    z.strictObject({
      url: z.string().min(1).describe('answers a GET with JSON; ${VAR} is expanded'),
      headers: z.record(z.string(), z.string()).default({}).describe('request headers; ${VAR} is expanded'),
      rows: list(),
      ...shared(),
    }),
    z.strictObject({
      command: z.string().min(1).describe('shell command that prints JSON; it gets no variable with a key or setting'),
      rows: list(),
      ...place(),
      ...shared(),
    }),
    z.strictObject({
      folder: z
        .string()
        .min(1)
        .describe('each file is a row with `path`, `bytes`, `sha256` and, where it is short, `text`'),
      absent: absent(),
      ...place(),
      ...shared(),
    }),
  ]);
export type StateConfig = z.output<ReturnType<typeof stateSchema>>;

/** By which the snapshots of a state are found again; how long reading may take changes no row. */
export function keyOfState({ timeoutSecs: _, ...state }: StateConfig): string {
  return sha256(canonicalJson(state));
}

/** A state for people, as its file names it. */
export function nameOfState(state: StateConfig): string {
  if ('sqlite' in state) return state.query === undefined ? state.sqlite : `${state.sqlite}: ${state.query}`;
  if ('postgres' in state) return state.query;
  if ('url' in state) return state.url;
  return 'command' in state ? state.command : state.folder;
}
