import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../shared/seeded-random.ts';
import { comparedTrial } from '../../testing/fakes/compare/fake-record.ts';
import type { DiagnosedTrial } from './collected-side.ts';
import { diagnose } from './diagnosis.ts';
import { diagnosisThresholds } from './diagnosis-patterns.ts';

function trial(...commands: readonly string[]): DiagnosedTrial {
  const { record, commands: recorded } = comparedTrial(commands);
  if (!record.interaction || !recorded) throw new Error('the fake gives both');
  return { trialId: record.trialId, repeat: 1, outcome: 'pass', interaction: record.interaction, commands: recorded };
}

function patterns(...trials: readonly DiagnosedTrial[]): string[] {
  return diagnose(trials).map(({ pattern }) => pattern);
}

function causes(pattern: string, ...trials: readonly DiagnosedTrial[]): string[] | undefined {
  const found = diagnose(trials).find((finding) => finding.pattern === pattern);
  return found?.commands.map(({ command }) => command.line);
}

const ok = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
const help = ['a --help', 'b --help', 'c --help'];

describe('diagnose', () => {
  it('speaks of guidance only where there was one', () => {
    const wrong = trial('a!1', 'b!1', 'c', 'd', 'e');
    const words = (variant: DiagnosedTrial['variant']): string =>
      diagnose([{ ...wrong, variant }])
        .map(({ cause, advice }) => `${cause} ${advice}`)
        .join();
    expect(words({ guidance: 'v1' })).toContain('every example in the guidance');
    expect(words({})).toContain('does not look it up');
    expect(words({})).not.toContain('the guidance');
  });

  it('sees many errors without help', () => {
    const wrong = trial('a!1', 'b!1', 'c', 'd', 'e');
    expect(patterns(wrong)).toEqual(['high-error-low-help']);
    expect(causes('high-error-low-help', wrong)).toEqual(['tm a', 'tm b']);
  });

  it('sees many errors in spite of help', () => {
    const lost = trial(...help, 'a!1', 'b!1', 'd', 'e', 'f');
    expect(patterns(lost)).toEqual(['high-error-high-help']);
    expect(causes('high-error-high-help', lost)).toEqual([...help, 'a', 'b'].map((line) => `tm ${line}`));
  });

  it('sees help that helps', () => {
    const careful = trial(...help, 'd', 'e');
    expect(patterns(careful)).toEqual(['low-error-high-help']);
    expect(causes('low-error-high-help', careful)).toEqual(help.map((line) => `tm ${line}`));
  });

  it('sees a command that fails repeatedly, and not one that is corrected at once', () => {
    const stuck = trial('link a!1', 'link b!1', 'link c!1', 'link d', ...ok, 'j', 'k', 'l');
    const [found] = diagnose([trial(...ok), stuck]);
    expect(found).toMatchObject({ pattern: 'high-retry', subcommand: 'link' });
    expect(found?.evidence).toBe('"link" failed 3 times in a row; this happened in 1 of 2 trials');
    expect(found?.commands.map(({ command }) => command.line)).toEqual(['tm link a', 'tm link b', 'tm link c']);
    expect(patterns(trial('link a!1', 'link b', ...ok))).not.toContain('high-retry');
    expect(patterns(trial('link a!1', 'link b', 'link c!1', 'link d', ...ok))).not.toContain('high-retry');
  });

  it('sees a long way to the goal', () => {
    const long = trial(...ok, ...ok.map((name) => `${name} x`));
    expect(patterns(long)).toEqual(['many-commands', 'low-error-low-help']);
    expect(causes('many-commands', long)).toHaveLength(18);
    const unfinished = { ...long, interaction: { ...long.interaction, completed: false } };
    expect(patterns(unfinished)).toEqual([]);
    expect(patterns({ ...long, outcome: 'fail' })).toEqual([]);
  });

  it('sees good work, and only where every judged trial completed and passed', () => {
    const fine = trial(...ok);
    expect(patterns(fine)).toEqual(['low-error-low-help']);
    expect(patterns(fine, { ...fine, outcome: 'fail' })).toEqual([]);
    expect(patterns({ ...fine, outcome: 'error' })).toEqual([]);
    expect(patterns({ ...fine, interaction: { ...fine.interaction, completed: false } })).toEqual([]);
  });

  it('sees first tries that miss', () => {
    const missing = trial('a!1', 'a', 'b', 'b', 'c!1', 'c', 'd --help', 'e -h');
    expect(patterns(missing)).toEqual(['low-first-try']);
    expect(causes('low-first-try', missing)).toEqual(['tm a', 'tm a', 'tm b', 'tm c', 'tm c']);
  });

  it('does not overlook a low share of first tries that comes from repeats alone', () => {
    const repeating = trial('list', 'list', 'list');
    expect(patterns(repeating)).toEqual(['low-first-try']);
    expect(diagnose([repeating])[0]?.evidence).toBe(
      'first-try success rate 0.33; 2 of 3 commands repeat an earlier one',
    );
  });

  it('needs more than one error to call them many', () => {
    expect(patterns(trial('a!1', 'b', 'c'))).toEqual([]);
    expect(patterns(trial('a!1', 'b', 'c', 'd'))).toEqual([]);
    expect(patterns(trial('a!1', 'b!1', 'c', 'd'))).toContain('high-error-low-help');
  });

  it('puts the two variants of the seed document on different sides', () => {
    const withFigures = (
      error_rate: number,
      help_invocations: number,
      first_try_success_rate: number,
    ): DiagnosedTrial => {
      const { interaction, ...rest } = trial(...ok);
      const errors = { error_rate, error_count: Math.round(error_rate * interaction.total_commands) };
      return { ...rest, interaction: { ...interaction, ...errors, help_invocations, first_try_success_rate } };
    };
    expect(patterns(withFigures(0.35, 4, 0.55))).toEqual(['high-error-high-help', 'low-first-try']);
    expect(patterns(withFigures(0.1, 1, 0.82))).toEqual(['low-error-low-help']);
  });

  it('says nothing where there is too little to see', () => {
    expect(patterns()).toEqual([]);
    expect(patterns(trial())).toEqual([]);
    expect(patterns(trial('a!1', 'b!1'))).toEqual([]);
    expect(patterns(trial('a!1', 'b!1'), trial('a!1'))).not.toEqual([]);
  });

  it('takes other bounds', () => {
    const thresholds = { ...diagnosisThresholds, highErrorRate: 0.01, lowErrorRate: 0, minErrors: 1 };
    expect(diagnose([trial(...ok, 'j!1')], { thresholds }).map(({ pattern }) => pattern)).toEqual([
      'high-error-low-help',
    ]);
  });

  it('names the trial and the event to look at', () => {
    const first = { ...trial(...ok), trialId: 'one', repeat: 1 };
    const second = { ...trial('x', 'y!1', 'z!1', 'w!3'), trialId: 'two', repeat: 2 };
    const [found] = diagnose([first, second]);
    expect(found?.commands[0]).toMatchObject({ trialId: 'two', repeat: 2, command: { index: 1, eventIndex: 1 } });
  });
});

describe('diagnose beside another variant', () => {
  const errors = (count: number): DiagnosedTrial =>
    trial(...Array.from({ length: count }, (_, index) => `x${index}!1`), ...ok.slice(count));
  const blamed = (own: readonly DiagnosedTrial[], others: readonly DiagnosedTrial[]): string[] =>
    diagnose(own, { others })
      .filter(({ isGood }) => !isGood)
      .map(({ pattern }) => pattern);
  const times = (count: number, one: DiagnosedTrial): DiagnosedTrial[] => Array.from({ length: count }, () => one);

  it('names what differs by more than chance explains, and nothing else', () => {
    expect(blamed(times(6, errors(4)), times(6, errors(0)))).toEqual(['high-error-low-help', 'low-first-try']);
    expect(blamed(times(6, errors(0)), times(6, errors(4)))).toEqual([]);
    expect(blamed(times(1, errors(4)), times(1, errors(0))), 'one trial each').toEqual([]);
    expect(blamed(times(2, errors(4)), times(2, errors(4))), 'both alike').toContain('high-error-low-help');
  });

  it('calls one request for help neither little nor much beside none', () => {
    const once = trial('a --help', ...ok);
    for (const [own, others] of [
      [[once], [trial(...ok)]],
      [times(9, once), times(9, trial(...ok))],
    ] as const) {
      expect(diagnose(own, { others })).toEqual([]);
    }
  });

  it('blames one of two equal variants in at most 6 % of comparisons', () => {
    const random = seededRandom(7);
    const drawn = (): DiagnosedTrial => {
      const commands = Array.from({ length: 4 + Math.floor(random() * 8) }, (_, index) => {
        const name = random() < 0.2 ? 'again' : `c${index}`;
        if (random() < 0.15) return `${name} --help`;
        return random() < 0.24 ? `${name}!1` : name;
      });
      return trial(...commands);
    };
    const repetitions = 50;
    for (const repeats of [1, 5]) {
      let alarms = 0;
      for (let index = 0; index < repetitions; index++) {
        const [a, b] = [Array.from({ length: repeats }, drawn), Array.from({ length: repeats }, drawn)];
        const [ofA, ofB] = [blamed(a, b).sort(), blamed(b, a).sort()];
        if (JSON.stringify(ofA) !== JSON.stringify(ofB)) alarms++;
      }
      expect(alarms / repetitions, `${repeats} repeats`).toBeLessThanOrEqual(0.06);
    }
  });
});
