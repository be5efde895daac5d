import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssayError } from '../../../domain/errors.ts';
import { faultOf } from '../../../domain/outcome.ts';
import {
  failedCriteria,
  hostileTexts,
  rendered,
  reporterNamed,
  type TrialChanges,
} from '../../../testing/support/rendered.ts';
import { repetitions } from '../../../testing/support/repetitions.ts';
import type { Comparison } from '../../compare/comparison.ts';

const [githubReporter, githubCommentReporter] = [reporterNamed('github'), reporterNamed('github-comment')];
const githubAnnotationsReporter = reporterNamed('github-annotations');
const pages = [githubReporter, githubCommentReporter];

/** All text from users, tools and models is the same. */
function trialSaying(text: string, changes: TrialChanges = {}): TrialChanges {
  const criteria = failedCriteria(text);
  const fault = { ...faultOf(new AssayError('TARGET_TIMEOUT', text)), hint: text };
  const gates = [{ gate_type: text, passed: false, message: text }];
  const variant = { agent: text, model: text };
  const texts = { scenario: text, caseId: text, file: text, reason: text, criteria, gates, fault, variant };
  return { ...texts, outcome: 'fail', ...changes };
}

/** The page with the text of others taken out. */
function skeleton(page: string): string {
  return page.replace(/<code>[^<>"']*<\/code>/g, '<code></code>');
}

function comparisonSaying(text: string): Comparison {
  const changed = {
    ...{ scenario: text, caseId: text, variant: { agent: text }, change: 'broke', reason: text, broken: [text] },
    ...{ passedA: 5, triedA: 5, passedB: 1, triedB: 5, trialA: 't-1', trialB: 't-2' },
  };
  return { summary: text, changedCases: [changed] } as unknown as Comparison;
}

describe.each(pages)('the $name page', (reporter) => {
  it('says how the run ended, what did not pass and why', async () => {
    const page = await rendered(reporter, [
      { scenario: 'good' },
      { ...trialSaying('x'), scenario: 'bad', caseId: 'task', reason: '1 of 2 failed', variant: {}, fault: null },
      { ...trialSaying('x'), scenario: 'bad', caseId: 'task', reason: '1 of 2 failed', variant: {}, fault: null },
      { scenario: 'slow', outcome: 'error', reason: 'No answer', fault: faultOf(new AssayError('TARGET_TIMEOUT', '')) },
    ]);
    expect(page).toContain('### ❌ Assay: 2 of 4 trials failed');
    expect(page).toContain('| 1 | 2 | 1 | 0 | 0 | $1.00 |');
    expect(page).toContain('❌ <code>bad</code><br><code>1 of 2 failed</code>');
    expect(page).toContain('<li><code>x</code>: <code>not x</code></li>');
    expect(page).toContain('and 1 more trial');
    expect(page).toContain('TARGET_TIMEOUT, source: tool.');
    expect(page).toContain('⚠️ <code>slow</code>: 0 of 1, 1 could not be judged');
  });

  it('is the same page around whatever is said', async () => {
    const plain = await rendered(reporter, [trialSaying('x')], { comparison: comparisonSaying('x') });
    for (const text of hostileTexts) {
      const page = await rendered(reporter, [trialSaying(text)], { comparison: comparisonSaying(text) });
      expect(skeleton(page)).toBe(skeleton(plain));
      expect(page).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u200B-\u200F\u202A-\u202E\uFEFF]|\p{Surrogate}/u);
    }
  });

  it('ends no HTML block early: there are no empty lines in it', async () => {
    const page = await rendered(
      reporter,
      hostileTexts.map((text) => trialSaying(text)),
    );
    const blocks = page.match(/<details[\s\S]*?<\/details>/g) ?? [];
    expect(blocks).toHaveLength(2);
    for (const block of blocks) expect(block).not.toMatch(/\n\s*\n/);
  });

  it('shows what changed since before, where that is known', async () => {
    const page = await rendered(reporter, [{}], { comparison: comparisonSaying('It is worse') });
    expect(page).toContain('<b>Compared with before</b>: <code>It is worse</code>');
    expect(page).toContain('<li>broke, 5/5 → 1/5: <code>');
  });

  it('says plainly that there was nothing', async () => {
    const page = await rendered(reporter, []);
    expect(page).toContain('| 0 | 0 | 0 | 0 | $0 |');
    expect(page).not.toContain('<details');
  });
});

describe('the sizes that GitHub allows', () => {
  const long = '&<"é'.repeat(150);
  const many = Array.from({ length: 400 }, (_, index) => trialSaying(`${index}${long}`));

  it.each([
    [githubReporter, 1_048_576],
    [githubCommentReporter, 65_536],
  ])('$name stays within them, says what is left out, and stays whole', async (reporter, mostBytes) => {
    const page = await rendered(reporter, many);
    expect(Buffer.byteLength(page)).toBeLessThan(mostBytes);
    expect(Buffer.byteLength(page)).toBeGreaterThan(mostBytes / 2);
    expect(page).toMatch(/<li>… and \d+ more trials<\/li>/);
    expect(page.match(/<details/g)?.length).toBe(page.match(/<\/details>/g)?.length);
    expect(page.match(/<li>/g)?.length).toBe(page.match(/<\/li>/g)?.length);
    expect(page).toContain('<sub>Run <code>r-1</code></sub>');
  });
});

describe('the comment', () => {
  it('begins with the line by which it is found again, in every run', async () => {
    const first = await rendered(githubCommentReporter, [{}]);
    const second = await rendered(githubCommentReporter, [trialSaying('x')], { runId: 'r-2' });
    expect(first.split('\n')[0]).toBe('<!-- assay-report -->');
    expect(second.split('\n')[0]).toBe('<!-- assay-report -->');
    expect(await rendered(githubReporter, [{}])).not.toContain('<!--');
  });
});

describe('annotations', () => {
  it('are errors beside the file for what failed, and warnings for what could not be judged', async () => {
    const failing = { scenario: 'bad', caseId: 'task', file: 'dir/a,b:c.yaml', variant: {}, outcome: 'fail' } as const;
    const text = await rendered(githubAnnotationsReporter, [
      { ...failing, reason: '50% is\nnot enough' },
      { scenario: 'slow', caseId: 'task', variant: {}, outcome: 'error', reason: 'No answer' },
      {},
    ]);
    expect(text.split('\n')).toEqual([
      expect.stringMatching(
        /^::error file=dir\/a%2Cb%3Ac\.yaml,line=1,title=Assay%3A bad::50%25 is not enough%0Aassay show t-\S+$/,
      ),
      expect.stringMatching(/^::warning file=sample\.yaml,line=1,title=Assay%3A slow::No answer%0Aassay show t-\S+$/),
      '',
    ]);
  });

  it('are one command a line, whatever is said', async () => {
    const texts = fc.string({ unit: fc.constantFrom(...':,%=\n\r\u2028a0A \u0085#[]'), maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const lines = (await rendered(githubAnnotationsReporter, [trialSaying(text)])).split('\n');
        expect(lines).toHaveLength(2);
        expect(lines[0]).toMatch(/^::error file=[^:,]*,line=1,title=[^:,]*::[^\r\n\u2028\u0085]*$/);
        expect(lines[0]?.replace(/%(25|0A|0D|3A|2C)/g, '')).not.toContain('%');
      }),
      { seed: 7, numRuns: repetitions({ usual: 10, inFull: 30 }) },
    );
  });

  it('are as many as GitHub shows, and say how many more there are', async () => {
    const trials = Array.from({ length: 30 }, (_, index) => trialSaying(`reason ${index}`));
    const lines = (await rendered(githubAnnotationsReporter, trials)).trimEnd().split('\n');
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe('::notice title=Assay::20 more trials did not pass: see the summary.');
  });
});
