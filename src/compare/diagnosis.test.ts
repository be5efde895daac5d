import { describe, expect, it } from 'vitest';
import { type DiagnosedTrial, diagnose } from './diagnosis.ts';
import { diagnosisThresholds } from './diagnosis-thresholds.ts';
import { comparedTrial } from './fakes/fake-record.ts';

function trial(...commands: readonly string[]): DiagnosedTrial {
  const { record, commands: seen } = comparedTrial(commands);
  if (!record.interaction || !seen) throw new Error('the fake gives both');
  return { trialId: record.trialId, repeat: 1, interaction: record.interaction, commands: seen };
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

  it('sees a command that is tried again and again', () => {
    const stuck = trial('link a!1', 'link b!1', 'link c', 'link d', ...ok, 'j', 'k', 'l');
    const [found] = diagnose([trial(...ok), stuck]);
    expect(found).toMatchObject({ pattern: 'high-retry', subcommand: 'link' });
    expect(found?.evidence).toContain('tried again 2 times');
    expect(found?.commands.map(({ command }) => command.line)).toEqual(['tm link a', 'tm link b', 'tm link c']);
    expect(patterns(trial('link a!1', 'link b', ...ok))).not.toContain('high-retry');
  });

  it('sees a long way to the goal', () => {
    const long = trial(...ok, ...ok.map((name) => `${name} x`));
    expect(patterns(long)).toEqual(['many-commands', 'low-error-low-help']);
    expect(causes('many-commands', long)).toHaveLength(18);
    const unfinished = { ...long, interaction: { ...long.interaction, completed: false } };
    expect(patterns(unfinished)).toEqual(['low-error-low-help']);
  });

  it('sees good work', () => {
    expect(patterns(trial(...ok))).toEqual(['low-error-low-help']);
  });

  it('sees first tries that miss', () => {
    const missing = trial('a!1', 'a', 'b', 'b', 'c!1', 'c', 'd --help', 'e -h');
    expect(patterns(missing)).toEqual(['low-first-try']);
    expect(causes('low-first-try', missing)).toEqual(['tm a', 'tm c']);
  });

  it('does not take mere repetition for first tries that miss', () => {
    expect(patterns(trial('list', 'list', 'list', 'list'))).toEqual(['low-error-low-help']);
  });

  it('puts the two variants of the seed document on different sides', () => {
    const withFigures = (
      error_rate: number,
      help_invocations: number,
      first_try_success_rate: number,
    ): DiagnosedTrial => {
      const { interaction, ...rest } = trial(...ok);
      return { ...rest, interaction: { ...interaction, error_rate, help_invocations, first_try_success_rate } };
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
    const strict = { ...diagnosisThresholds, highErrorRate: 0.01, lowErrorRate: 0 };
    expect(diagnose([trial(...ok, 'j!1')], strict).map(({ pattern }) => pattern)).toEqual(['high-error-low-help']);
  });

  it('names the trial and the event to look at', () => {
    const first = { ...trial(...ok), trialId: 'one', repeat: 1 };
    const second = { ...trial('x', 'y!1', 'z!1', 'w!3'), trialId: 'two', repeat: 2 };
    const [found] = diagnose([first, second]);
    expect(found?.commands[0]).toMatchObject({ trialId: 'two', repeat: 2, command: { index: 1, eventIndex: 1 } });
  });
});
