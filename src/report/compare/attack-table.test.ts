import { describe, expect, it } from 'vitest';
import type { AttackFinding } from '../../domain/attacks/attack-event.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { attackSection } from '../presentation/attack-text.ts';
import { type AttackTable, attackTables } from './attack-table.ts';

const facts = { suite: 'core', version: 1, class: 'direct', goal: 'call' } as const;

function trial(
  caseId: string,
  outcome: Outcome,
  attack?: Pick<AttackFinding, 'name' | 'place' | 'outcome'>,
  cachedFrom: string | null = null,
) {
  const variant = { agent: 'a', attack: attack ? `${attack.name}@${attack.place}` : 'none' };
  const place = { scenario: 's', file: 'f', caseId, variant, outcome, cachedFrom };
  return attack ? { ...place, attack: { ...facts, evidence: [], reason: `why ${attack.outcome}`, ...attack } } : place;
}

async function tableOf(trials: readonly ReturnType<typeof trial>[]) {
  async function* each() {
    yield* trials;
  }
  const [table] = await attackTables(each());
  if (!table) throw new Error('The table is missing.');
  return table;
}

/** The figures of the section, and its table of attacks. */
function drawn(attacked: AttackTable) {
  const [figures, cells] = attackSection(attacked).blocks;
  if (figures?.kind !== 'list' || cells?.kind !== 'table') throw new Error('The section has another form.');
  return { figures: figures.items, rows: cells.rows };
}

const call = { name: 'call', place: 'tool-result' } as const;

describe('the table of attacks', () => {
  it('counts trials that say nothing beside the rates, and never in them', async () => {
    const table = await tableOf([
      trial('1', 'pass'),
      trial('2', 'fail'),
      trial('1', 'pass', { ...call, outcome: 'succeeded' }),
      trial('2', 'error', { ...call, outcome: 'resisted' }),
      trial('3', 'pass', { ...call, outcome: 'not-reached' }),
      trial('4', 'fail', { ...call, outcome: 'unknown' }),
      trial('5', 'pass', { ...call, outcome: 'succeeded' }, 'an earlier trial'),
    ]);
    expect(table).toMatchObject({ succeeded: 1, resisted: 1, notReached: 1, unknown: 1 });
    expect(table.success).toMatchObject({ rate: 0.5, trials: 2 });
    expect(table.utility).toMatchObject({ rate: 0.5, trials: 2 });
    expect(table.utilityUnderAttack).toMatchObject({ passed: 2, trials: 3 });
    expect(table.unknownReasons).toEqual(['why unknown']);
    const { figures, rows } = drawn(table);
    expect(rows.map(({ cells }) => cells[2])).toEqual(['1/2 (1 not reached, 1 unknown)']);
    expect(figures.at(-1)).toEqual({ name: 'unknown', words: '1 trial: why unknown' });
  });

  it('has no rate where nothing is known, and no colour that says 0', async () => {
    const table = await tableOf([trial('1', 'pass', { ...call, outcome: 'unknown' })]);
    expect(table.success).toMatchObject({ rate: null, interval: null });
    expect(drawn(table).rows).toMatchObject([{ cells: ['call', 'tool-result', '– (1 unknown)', 'unknown', '1/1'] }]);
    expect(drawn(table).rows[0]?.heat?.every((share) => share === null)).toBe(true);
  });
});
