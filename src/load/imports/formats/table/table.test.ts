import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventsIn, readImport, reported } from '../../../../testing/fakes/load/read-import.ts';

const fixture = readFileSync(new URL('../fixtures/table.csv', import.meta.url), 'utf8');
const states = ({ trials }: Awaited<ReturnType<typeof readImport>>) => trials.map(({ verdict }) => verdict?.state);

describe('a table', () => {
  it('whose columns have the names of what they hold is read without a question', async () => {
    const read = await readImport(fixture, { name: 'results.csv' });
    expect(read).toMatchObject({ format: 'table', problems: [] });
    expect(read.trials.map(({ caseId, repeat, verdict }) => [caseId, repeat, verdict?.state, verdict?.reason])).toEqual(
      [
        ['book', 1, 'pass', 'outcome "pass" in the table'],
        ['book', 2, 'pass', 'outcome "PASSED" in the table'],
        ['refund', 1, 'fail', 'policy says no'],
        ['refund', 2, 'error', 'the endpoint was down'],
        ['cancel', 1, 'skipped', 'the table has no outcome'],
      ],
    );
    expect(read.trials[0]).toMatchObject({ variant: { agent: 'a', model: 'm' }, durationMs: 120, costUsd: 0.25 });
    expect(eventsIn(read.trials[0]).slice(0, 2)).toEqual([
      { type: 'message', role: 'user', text: 'Book a seat, please' },
      { type: 'message', role: 'assistant', text: 'Seat "4A" is yours' },
    ]);
  });

  const guessed = '{"task_id":"a","passed":true,"usd":0.5,"x":1}\n{"task_id":"b","passed":0,"usd":0.25,"x":1}\n';

  it('whose columns are a guess is read when the user confirms or changes it', async () => {
    const unconfirmed = await readImport(guessed);
    expect(unconfirmed).toMatchObject({ format: 'table', trials: [] });
    expect(reported(unconfirmed)).toEqual([
      '1: a table whose columns were guessed: case=task_id,outcome=passed,cost=usd (not used: x)',
    ]);
    expect(unconfirmed.problems[0]?.hint).toBe(
      'Use `--columns guessed` to confirm them, or change them: `--columns "case=task_id,outcome=passed,cost=usd"`.',
    );
    const confirmed = await readImport(guessed, { options: { columns: 'guessed' } });
    expect(states(confirmed)).toEqual(['pass', 'fail']);
    expect(confirmed.trials[0]).toMatchObject({ caseId: 'a', costUsd: 0.5 });
    expect(reported(confirmed)).toEqual(['warning 1: read with case=task_id,outcome=passed,cost=usd (not used: x)']);
    const given = await readImport(guessed, { options: { columns: { scenario: 'task_id', outcome: 'passed' } } });
    expect(given.trials.map(({ scenario, caseId }) => [scenario, caseId])).toEqual([
      ['a', 'task'],
      ['b', 'task'],
    ]);
    expect(given.problems).toEqual([]);
  });

  it('of scores has verdicts only where the user says which scores pass', async () => {
    const rows = 'case,score\na,1\nb,0.4\n';
    expect(states(await readImport(rows, { name: 'x.csv' }))).toEqual([undefined, undefined]);
    expect(states(await readImport(rows, { name: 'x.csv', options: { passAt: 0.5 } }))).toEqual(['pass', 'fail']);
    const ratings = await readImport('case,outcome\na,1\nb,5\n', { name: 'x.csv' });
    expect(ratings.trials).toEqual([]);
    expect(reported(ratings)).toEqual(['2: column "outcome" has numbers other than 0 and 1, such as 5']);
    expect(ratings.problems[0]?.hint).toBe(
      'Read them as scores: `--columns "case=case,score=outcome" --pass-at <score>`.',
    );
  });

  it('that cannot be read is refused by line, with what is missing', async () => {
    expect(reported(await readImport('name,notes\na,b\n', { name: 'x.csv' }))).toEqual([
      expect.stringMatching(/^1: unknown format: table needs a column of outcomes or scores/),
    ]);
    const damaged = await readImport('case,outcome\na,maybe\nb\nc,pass\n', { name: 'x.csv' });
    expect(states(damaged)).toEqual(['pass']);
    expect(reported(damaged)).toEqual([
      '2: the outcome "maybe" is not pass, fail, error, skipped, true or false',
      '3: the row has 1 cells, and the header 2',
    ]);
    const wrong = await readImport('case,outcome\na,pass\n', {
      name: 'x.csv',
      options: { columns: { case: 'cases' } },
    });
    expect(reported(wrong)).toEqual(['2: there is no column "cases" for case']);
  });
});
