import { describe, expect, it } from 'vitest';
import { everything, filteredRows, type TrialFilter, unpackRows } from './trial-row.ts';

const rows = unpackRows({
  side: '',
  scenarios: [
    ['Book', 'book.yaml'],
    ['Cancel', 'cancel.yaml'],
  ],
  variants: [{ agent: 'codex' }, { agent: 'pi', guidance: 'v2' }],
  rows: [
    [0, 't-0', 0, 0, 'task', 1, 0, 'All passed', '', 30, 0.2, 10, 5, 0],
    [1, 't-1', 0, 1, 'task', 1, 1, 'The reference is missing', '', 10, 0.1, 90, 5, 0],
    [2, 't-2', 1, 0, 'late', 2, 2, 'It crashed', 'TARGET_CRASHED', 20, 0.3, 20, 5, 0],
    [3, 't-3', 1, 1, '#3', 1, 3, 'Nothing to do', '', 20, 0, 0, 0, 0, '#3 Cancel it'],
  ],
});

const ids = (filter: Partial<TrialFilter>): string[] =>
  filteredRows(rows, { ...everything, ...filter }).map(({ trialId }) => trialId);

describe('the list of trials', () => {
  it('fills in the names that rows share', () => {
    expect(rows[2]).toMatchObject({ title: 'Cancel › late (codex, repeat 2)', file: 'cancel.yaml', outcome: 'error' });
    expect(rows[3]).toMatchObject({ title: 'Cancel › #3 Cancel it (pi, guidance v2)', caseId: '#3', isReused: false });
  });

  it.each([
    [{}, ['t-0', 't-1', 't-2', 't-3']],
    [{ outcome: 'fail' }, ['t-1']],
    [{ scenario: 'Cancel' }, ['t-2', 't-3']],
    [{ variant: 'pi, guidance v2' }, ['t-1', 't-3']],
    [{ scenario: 'Cancel', variant: 'codex' }, ['t-2']],
    [{ search: 'REFERENCE book' }, ['t-1']],
    [{ search: 'target_crashed' }, ['t-2']],
    [{ search: 'nowhere' }, []],
    [{ sort: 'outcome' }, ['t-1', 't-2', 't-3', 't-0']],
    [{ sort: 'duration' }, ['t-1', 't-2', 't-3', 't-0']],
    [{ sort: 'cost', isDescending: true }, ['t-2', 't-0', 't-1', 't-3']],
    [{ sort: 'tokens', isDescending: true }, ['t-1', 't-2', 't-0', 't-3']],
    [{ sort: 'plan', isDescending: true }, ['t-3', 't-2', 't-1', 't-0']],
  ] satisfies [Partial<TrialFilter>, string[]][])('with %j shows %j', (filter, expected) => {
    expect(ids(filter)).toEqual(expected);
  });
});
