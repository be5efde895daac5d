import { describe, expect, it } from 'vitest';
import type { Trace, UnstampedEvent } from '../../../domain/trace.ts';
import { traceOf } from '../../../testing/fakes/score/fake-trace.ts';
import { sharedIds } from './own-values.ts';
import { stepsOf } from './steps.ts';
import { diffTrajectories } from './trajectory-diff.ts';

const uuidA = '0b6ff9a2-31d5-4b8e-9c65-0123456789ab';
const uuidB = 'ffffffff-0000-4000-8000-000000000000';
const folderA = '/tmp/assay-81x/trial';
const folderB = '/var/lib/assay-5/trial';

/** `command => output`; a command ends with `!` and its exit code where it fails. */
function trial(folder: string, ...lines: readonly string[]): Trace {
  const events = lines.flatMap((line, index): UnstampedEvent[] => {
    const [given = '', result = ''] = line.split(' => ');
    const [shellCommand = '', code = '0'] = given.split('!');
    const callId = `${index}`;
    return [
      { type: 'tool-call', callId, tool: 'bash', input: { command: shellCommand }, shellCommand },
      { type: 'tool-result', callId, durationMs: 1, result, exitCode: Number(code) },
    ];
  });
  return traceOf({ type: 'workspace', folder: 'f', workedIn: folder }, ...events);
}

/** The statuses of all rows in order, such as `= - +`. */
function statuses(a: readonly string[], b: readonly string[]): string {
  const [traceA, traceB] = [trial(folderA, ...a), trial(folderB, ...b)];
  const shared = sharedIds(traceA, traceB);
  const { rows } = diffTrajectories(stepsOf(traceA, shared), stepsOf(traceB, shared));
  const signs = { same: '=', changed: '~', added: '+', dropped: '-', 'failed-now': '✗', mended: '✓' };
  return rows.map(({ status }) => signs[status]).join(' ');
}

const one = (a: string, b: string): readonly [readonly string[], readonly string[]] => [[a], [b]];

describe('values in the steps of two trials', () => {
  it.each([
    ['another amount', '- +', ...one('pay --amount 100 --to 5511', 'pay --amount 9000 --to 5511')],
    ['another account', '- +', ...one('pay --amount 100 --to 5511', 'pay --amount 100 --to 6622')],
    ['the same amount', '=', ...one('pay --amount 100', 'pay --amount 100')],
    ['another digit of a long number', '- +', ...one('show 9007199254740993', 'show 9007199254740992')],
    ['another fraction', '- +', ...one('set 0.1', 'set 0.10')],
    ['another sign', '- +', ...one('move 5', 'move -5')],
    ['another line number', '- +', ...one('sed -n 1,40p a', 'sed -n 1,80p a')],
    ['another version', '- +', ...one('use 1.2.3', 'use 1.2.4')],
    ['another date', '- +', ...one('book 2026-01-02', 'book 2026-01-03')],
    ['another time', '- +', ...one('at 2026-01-02T10:00Z', 'at 2026-01-02T11:00Z')],
    ['another port', '- +', ...one('serve :8080', 'serve :9090')],
    ['another UUID that no tool made', '- +', ...one(`show ${uuidA}`, `show ${uuidB}`)],
    ['another commit', '- +', ...one('git revert 3f2a9c1', 'git revert 00ab12c')],
    ['another long id', '- +', ...one('get toolu_01A09q90qw90', 'get toolu_01BxxQ8812aa')],
    ['another folder', '- +', ...one('cat /etc/a/hosts', 'cat /etc/b/hosts')],
    ['another file', '- +', ...one('cat notes.txt', 'cat list.txt')],
    ['another file of the trial', '- +', ...one(`rm ${folderA}/a`, `rm ${folderB}/b`)],
    ['another folder of the trial', '- +', ...one(`rm ${folderA}/x/a`, `rm ${folderB}/y/a`)],
    ['the same file of the trial', '=', ...one(`cat ${folderA}/a`, `cat ${folderB}/a`)],
    ['the folder of the trial twice', '=', ...one(`cp ${folderA}/a ${folderA}/b`, `cp ${folderB}/a ${folderB}/b`)],
    ['a file beside the trial', '- +', ...one(`cat ${folderA}/a`, 'cat /opt/a')],
    ['the folder of the other trial', '- +', ...one(`cat ${folderA}/a`, `cat ${folderA}/a`)],
    ['another option', '- +', ...one('list --all', 'list --mine')],
    ['another order of options', '- +', ...one('list -a -b', 'list -b -a')],
    ['an option more', '- +', ...one('list', 'list --all')],
    ['another word in a quoted text', '- +', ...one('say "good day"', 'say "good night"')],
    ['other capitals', '- +', ...one('cat README', 'cat readme')],
    ['another command that fails', '- +', ...one('list', 'fail 3!3')],
    ['the same command that fails', '✗', ...one('list', 'list!3')],
    ['the same command that is mended', '✓', ...one('list!3', 'list')],
    ['a mended command in another form', '- +', ...one('add tea!2', 'add --title tea')],
    ['a difference after 2,000 characters', '- +', ...one(`say ${'x'.repeat(2000)}1`, `say ${'x'.repeat(2000)}2`)],
    ['a long text that is the same', '=', ...one(`say ${'x'.repeat(2000)}`, `say ${'x'.repeat(2000)}`)],
    ['an id that the tool made', '= =', [`add => ${uuidA}`, `show ${uuidA}`], [`add => ${uuidB}`, `show ${uuidB}`]],
    [
      'the other of two ids that the tool made',
      '= = - +',
      [`add => ${uuidA} 3f2a9c1`, `show ${uuidA}`, `drop ${uuidA}`],
      [`add => ${uuidB} 00ab12c`, `show ${uuidB}`, 'drop 00ab12c'],
    ],
    [
      'an id that both tools listed',
      '= - +',
      [`list => ${uuidA} ${uuidB}`, `drop ${uuidA}`],
      [`list => ${uuidA} ${uuidB}`, `drop ${uuidB}`],
    ],
    ['an id before it was made', '- = +', [`show ${uuidA}`, `add => ${uuidA}`], [`add => ${uuidB}`, `show ${uuidB}`]],
    ['a number that the tool printed', '= - +', ['sum => 100', 'pay 100'], ['sum => 9000', 'pay 9000']],
    ['an id in an answer only', '=', [`add => ${uuidA}`], [`add => ${uuidB}`]],
    ['a step in between', '= + =', ['add', 'list'], ['add', 'sync', 'list']],
    ['the order', '+ = -', ['add', 'list'], ['list', 'add']],
  ])('%s: %s', (_what, expected, a, b) => {
    const found = statuses(a, b);
    // Where a step was moved, either of the two may be the one that stays.
    const accepted = expected === '+ = -' ? [expected, '- = +'] : [expected];
    expect(accepted).toContain(found);
  });
});
