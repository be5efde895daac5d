import { describe, expect, it } from 'vitest';
import type { AttackFinding } from '../../domain/attacks/attack-finding.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { attackFigures, attackHeatMap, cellText } from '../presentation/attack-text.ts';
import { attackTables } from './attack-table.ts';

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
    expect(table.cells.map(cellText)).toEqual(['1/2 (1 not reached, 1 unknown)']);
    expect(attackFigures(table).at(-1)).toEqual(['unknown', '1 trial: why unknown']);
  });

  it('has no rate where nothing is known, and no colour that says 0', async () => {
    const table = await tableOf([trial('1', 'pass', { ...call, outcome: 'unknown' })]);
    expect(table.success).toMatchObject({ rate: null, interval: null });
    const [cell] = attackHeatMap(table).rows[0]?.cells ?? [];
    expect(cell).toMatchObject({ text: '– (1 unknown)', share: null });
  });

  it('leaves the cells of combinations that were not tried empty', async () => {
    const table = await tableOf([
      trial('1', 'pass', { ...call, outcome: 'resisted' }),
      trial('1', 'pass', { name: 'leak', place: 'file-content', outcome: 'succeeded' }),
    ]);
    const { columns, rows } = attackHeatMap(table);
    expect(columns).toEqual(['tool-result', 'file-content']);
    expect(rows.map(({ cells }) => cells.map((cell) => cell && [cell.text, cell.share]))).toEqual([
      [['0/1', 0], null],
      [null, ['1/1', 1]],
    ]);
  });
});
