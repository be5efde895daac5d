import * as z from 'zod';
import { AssayError } from '../../../../domain/errors.ts';
import { describeDifference, type StateDifference, type StateRow } from '../../../../domain/state-change.ts';
import { eventsOf } from '../../../../domain/trace.ts';
import { showJson } from '../../../../shared/exact-json.ts';
import { type Answer, defineEvaluator } from '../../evaluator.ts';
import { shortened } from '../../excerpt.ts';
import { compileWanted, type Difference } from '../tool-use/match-call.ts';
import { argumentMatchersSchema } from '../tool-use/value-matcher.ts';
import { matchRows } from './match-rows.ts';
import { keyOfState, nameOfState, stateSchema } from './state-config.ts';

const mostRows = 1_000;

const row = () => argumentMatchersSchema().describe('columns that the row must have: values, or matchers');

const configSchema = () =>
  z
    .strictObject({
      state: stateSchema().describe('what is looked at, before the trial and after it'),
      added: z.array(row()).max(mostRows).default([]).describe('rows that are new'),
      removed: z.array(row()).max(mostRows).default([]).describe('rows that are gone'),
      changed: z
        .array(
          z.strictObject({
            from: row().optional().describe('the row before'),
            to: row().optional().describe('the row afterwards'),
            columns: z.array(z.string()).optional().describe('the columns that differ, all of them'),
          }),
        )
        .max(mostRows)
        .default([])
        .describe('rows that are different'),
      others: z
        .enum(['forbidden', 'allowed'])
        .default('forbidden')
        .describe('whether rows may differ that are not listed'),
    })
    .refine(
      ({ added, removed, changed, others }) => others === 'forbidden' || [added, removed, changed].flat().length > 0,
      {
        path: ['others'],
        message: 'with `others: allowed` and no rows nothing is asserted',
      },
    );

type StateChangeConfig = z.output<ReturnType<typeof configSchema>>;

/** The difference that a trial made in a backend. */
export const stateChange = defineEvaluator({
  type: 'state-change',
  kind: 'assertion',
  summary: 'rows of a database, an HTTP answer, a command or a folder that differ after the trial',
  example: {
    state: { sqlite: 'shop.db', query: 'select id, status from orders' },
    changed: [{ from: { status: 'pending' }, to: { id: 'W1', status: 'cancelled' } }],
  },
  reads: ({ others }) => ({ channels: { state: others === 'allowed' ? 'presence' : 'exact' } }),
  configSchema,
  prepare(config) {
    const key = keyOfState(config.state);
    const kinds = compileKinds(config);
    return ({ trace }) => {
      const found = eventsOf(trace, 'state-change').find((event) => event.key === key);
      if (!found) throw notCompared(config);
      return judge(found, kinds, config.others === 'allowed');
    };
  },
});

function notCompared({ state }: StateChangeConfig): AssayError {
  return new AssayError(
    'NOT_OBSERVED',
    `The state of ${shortened(nameOfState(state))} was not compared in this trial.`,
    {
      hint: 'Run the trial again: a state is read before and after it, and a trial that is over has only what was read then.',
    },
  );
}

/** The rows of one kind that are wanted, and how those that are there are named. */
interface Kind {
  readonly word: string;
  readonly wanted: readonly { readonly test: Difference; readonly text: string }[];
  rowsIn(found: StateDifference): readonly unknown[];
}

function compileKinds({ added, removed, changed }: StateChangeConfig): readonly Kind[] {
  const compiled = (wanted: object) => ({ test: compileWanted(wanted), text: showJson(wanted) });
  return [
    { word: 'added', wanted: added.map(compiled), rowsIn: (found) => found.added },
    { word: 'removed', wanted: removed.map(compiled), rowsIn: (found) => found.removed },
    { word: 'changed', wanted: changed.map(compileChange), rowsIn: (found) => found.changed },
  ];
}

function compileChange(wanted: StateChangeConfig['changed'][number]): Kind['wanted'][number] {
  const { from = {}, to = {}, columns } = wanted;
  const [before, after] = [compileWanted(from), compileWanted(to)];
  const sorted = columns?.toSorted();
  const test: Difference = (value) => {
    const change = value as { readonly before: StateRow; readonly after: StateRow };
    const differing = columnsThatDiffer(change);
    const others = sorted !== undefined && sorted.join('\n') !== differing.join('\n');
    return (
      before(change.before, 'from') ??
      after(change.after, 'to') ??
      (others ? `${differing.join(', ')} changed, wanted ${sorted.join(', ')}` : undefined)
    );
  };
  return { test, text: showJson(wanted) };
}

function columnsThatDiffer({ before, after }: { readonly before: StateRow; readonly after: StateRow }): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names.filter((name) => showJson(before[name] ?? null) !== showJson(after[name] ?? null));
}

function judge(found: StateDifference, kinds: readonly Kind[], othersAllowed: boolean): Answer<'assertion'> {
  const problems = kinds.flatMap(({ word, wanted, rowsIn }) => {
    const rows = rowsIn(found);
    const { unmet, unmatched } = matchRows(rows, wanted);
    const missing = unmet.map((index) => missingText(word, wanted[index], rows));
    const further = othersAllowed ? [] : unmatched.map((index) => `${word}, and not wanted: ${showJson(rows[index])}`);
    return [...missing, ...further];
  });
  const metadata = { state: found.state, rows: found.rows };
  if (problems.length === 0) {
    return { state: 'pass', reason: `As wanted: ${describeDifference(found)}`, value: 1, metadata };
  }
  const first = problems.slice(0, 3).map((problem) => shortened(problem));
  const more = problems.length > first.length ? `; and ${problems.length - first.length} more` : '';
  return { state: 'fail', reason: `${first.join('; ')}${more}`, value: 0, metadata };
}

/** Why no row is the wanted one; where there is a single candidate, what is wrong with it. */
function missingText(word: string, wanted: Kind['wanted'][number] | undefined, rows: readonly unknown[]): string {
  const difference = rows.length === 1 ? wanted?.test(rows[0], 'row') : undefined;
  return `no row ${word} that is ${wanted?.text}${difference === undefined ? '' : ` (${difference})`}`;
}
