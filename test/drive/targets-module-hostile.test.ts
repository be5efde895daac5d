import { describe, expect, it } from 'vitest';
import { endings, printedIn, runCalls } from '../../src/testing/support/direct-calls.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

describe('a module target whose function misbehaves', () => {
  it('names a function that ends its thread, and goes on with the other calls', async () => {
    const folder = await temporaryFolder({
      'tool.mjs': `
        const never = new Promise(() => {});
        const ways = {
          exit: () => process.exit(0),
          timer: () => { setTimeout(() => { throw new Error('out of band'); }, 1); return never; },
          'timer-null': () => { setTimeout(() => { throw null; }, 1); return never; },
          rejection: () => { Promise.reject(new Error('nobody caught me')); return never; },
          well: () => 'well',
        };
        export const behave = ({ way }) => ways[way]();
      `,
    });
    const call = { module: './tool.mjs', export: 'behave' };
    const cases = ['exit', 'timer', 'timer-null', 'rejection', 'well'].map((way) => ({ name: way, input: { way } }));
    const run = await runCalls(folder, { it: { call, cases, timeoutSecs: 20 } }, { args: ['--concurrency', '1'] });
    expect(endings(run)).toEqual({
      'it/exit': 'TARGET_CRASHED',
      'it/timer': 'TARGET_CRASHED',
      'it/timer-null': 'TARGET_CRASHED',
      'it/rejection': 'TARGET_CRASHED',
      'it/well': 'pass',
    });
    expect(run.tried['it/exit']?.reason).toContain('it ended the process with code 0');
    expect(run.tried['it/timer']?.reason).toContain('it threw outside a call: out of band');
    expect(run.tried['it/timer-null']?.reason).toContain('it threw outside a call: null');
    expect(run.tried['it/rejection']?.reason).toContain('nobody caught me');
    expect(run).toMatchObject({ exitCode: 3, totals: { planned: 5, pass: 1, fail: 0, error: 4, skipped: 0 } });
  });

  it('judges the other calls as usual when one blocks its thread', async () => {
    const folder = await temporaryFolder({
      'tool.mjs': 'export const maybe = ({ blocks }) => { while (blocks); return "answered"; };',
    });
    const call = { module: './tool.mjs', export: 'maybe' };
    const cases = [
      { name: 'blocks', input: { blocks: true } },
      ...['a', 'b', 'c', 'd'].map((name) => ({ name, input: {} })),
    ];
    const run = await runCalls(folder, { it: { call, cases, timeoutSecs: 10 } });
    expect(endings(run)).toEqual({
      'it/blocks': 'TARGET_TIMEOUT',
      'it/a': 'pass',
      'it/b': 'pass',
      'it/c': 'pass',
      'it/d': 'pass',
    });
    expect(run).toMatchObject({ exitCode: 3, totals: { planned: 5, pass: 4, error: 1 } });
  });

  it('says of calls that had begun in a thread that is then blocked that another call stopped them', async () => {
    const folder = await temporaryFolder({
      'tool.mjs': `
        let begun;
        const neighbourHasBegun = new Promise((resolve) => { begun = resolve; });
        export async function share({ blocks }) {
          if (!blocks) { begun(); return new Promise(() => {}); }
          await neighbourHasBegun;
          while (true);
        }
      `,
    });
    const call = { module: './tool.mjs', export: 'share' };
    const run = await runCalls(folder, {
      blocks: { call, input: { blocks: true }, timeoutSecs: 2 },
      waits: { call, input: {}, timeoutSecs: 30 },
    });
    expect(endings(run)).toEqual({ blocks: 'TARGET_TIMEOUT', waits: 'TARGET_STOPPED' });
  });

  it('blames no other call when a call was alone and its thread had no time to start it', async () => {
    const folder = await temporaryFolder({ 'tool.mjs': 'export const wait = () => new Promise(() => {});' });
    const call = { module: './tool.mjs', export: 'wait' };
    const cases = Array.from({ length: 20 }, (_, index) => ({ name: `${index}`, input: {} }));
    const run = await runCalls(folder, { it: { call, cases, timeoutSecs: 0.001 } }, { args: ['--concurrency', '1'] });
    expect(new Set(Object.values(endings(run)))).toEqual(new Set(['TARGET_TIMEOUT']));
  });

  it('leaves a neighbour alone when a promise never settles', async () => {
    const folder = await temporaryFolder({
      'tool.mjs': `
        const never = () => new Promise(() => {});
        const outlives = () => new Promise((resolve) => setTimeout(resolve, 1_500, 'answered'));
        export const wait = ({ forever }) => (forever ? never() : outlives());
      `,
    });
    const call = { module: './tool.mjs', export: 'wait' };
    const run = await runCalls(folder, {
      never: { call, input: { forever: true }, timeoutSecs: 1 },
      outlives: { call, input: {}, timeoutSecs: 30 },
    });
    expect(endings(run)).toEqual({ never: 'TARGET_TIMEOUT', outlives: 'pass' });
    expect(run.tried.never?.reason).toBe('No answer within 1.0 s.');
  });

  it('gives the function a signal that is aborted when its time is up', async () => {
    const folder = await temporaryFolder({
      'tool.mjs': `
        export async function polite(_, { signal }) {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          console.error('stopping');
        }
      `,
    });
    const run = await runCalls(folder, { it: { call: { module: './tool.mjs', export: 'polite' }, timeoutSecs: 1.5 } });
    expect(endings(run)).toEqual({ it: 'TARGET_TIMEOUT' });
    expect(printedIn(run.tried.it?.trace ?? [], 'stderr')).toBe('stopping\n');
  });

  it('gives up a module that never gets ready', async () => {
    const folder = await temporaryFolder({
      'loops.mjs': 'while (true);',
      'waits.mjs': 'await new Promise((resolve) => setTimeout(resolve, 1e9)); export default () => 1;',
    });
    const run = await runCalls(folder, {
      loops: { call: { module: './loops.mjs' }, timeoutSecs: 0.5 },
      waits: { call: { module: './waits.mjs' }, timeoutSecs: 0.5 },
    });
    expect(endings(run)).toEqual({ loops: 'TARGET_TIMEOUT', waits: 'TARGET_TIMEOUT' });
    expect(run.exitCode).toBe(3);
  });

  it('survives a function that eats all memory', async () => {
    const folder = await temporaryFolder({
      'tool.mjs':
        'export const eat = () => { const eaten = []; for (;;) eaten.push(new Array(10_000).fill(Math.random())); };',
    });
    const env = { NODE_OPTIONS: '--max-old-space-size=150' };
    const run = await runCalls(folder, { it: { call: { module: './tool.mjs', export: 'eat' } } }, { env });
    expect(endings(run)).toEqual({ it: 'TARGET_CRASHED' });
    expect(run.tried.it?.reason).toContain('memory limit');
  });
});
