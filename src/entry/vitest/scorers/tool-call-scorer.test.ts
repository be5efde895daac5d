import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testContext } from '../../../testing/fakes/vitest/test-context.ts';
import { ToolCallScorer, type ToolCallScorerOptions } from './tool-call-scorer.ts';

const context = testContext(['add', 'multiply', 'divide', 'subtract']);

function scoreOf(called: readonly string[], options: ToolCallScorerOptions = {}, expected?: unknown): number {
  return new ToolCallScorer(options).score({ toolCalls: called.map((name) => ({ name })) }, expected, context);
}

describe('ToolCallScorer', () => {
  it.each([
    ['nothing called', [], 1],
    ['a tool of the server called', ['add'], 0.5],
    ['a tool called that is not there', ['add', 'sqrt'], 0.2],
  ])('without expected tools, %s', (_name, called, score) => {
    expect(scoreOf(called)).toBe(score);
  });

  it('does not take a call that was refused for one of the tool', () => {
    const toolCalls = [
      { name: 'add', refused: true },
      { name: 'sqrt', refused: true },
    ];
    const scorer = new ToolCallScorer({ expectedTools: ['add'] });
    expect(scorer.score({ toolCalls }, undefined, context)).toBe(0);
    expect(scorer.explain({ toolCalls }, undefined, context)).toContain(
      'missing [add], not tools of the server [sqrt]',
    );
  });

  const two = ['add', 'multiply'];
  it.each<[string, string[], ToolCallScorerOptions, number]>([
    ['all in order', ['add', 'multiply'], { expectedOrder: true }, 0.9],
    ['all in order, others allowed', ['add', 'multiply'], { expectedOrder: true, allowExtraTools: true }, 1],
    ['the wrong order', ['multiply', 'add'], { expectedOrder: true }, 0.6 + 0.1 + 0.1],
    ['the wrong order where it does not matter', ['multiply', 'add'], {}, 0.9],
    ['others between, allowed', ['add', 'divide', 'multiply'], { expectedOrder: true, allowExtraTools: true }, 1],
    ['one of two', ['add'], {}, 0.3 + 0.2 + 0.1],
    ['one of two in order', ['add'], { expectedOrder: true }, 0.3 + 0.1 + 0.1],
    ['one too many', ['add', 'multiply', 'divide'], {}, 0.8],
    ['two too many cost no more than one', ['add', 'multiply', 'divide', 'subtract'], {}, 0.8],
    ['one that is not there', ['add', 'multiply', 'sqrt'], {}, 0.9 - 0.3],
    ['three that are not there', ['add', 'multiply', 'a', 'b', 'c'], {}, 0.9 - 0.5],
    ['nothing', [], {}, 0.2],
    ['nothing in order', [], { expectedOrder: true }, 0],
    ['only tools that are not there', ['a', 'b'], {}, 0],
  ])('with expected tools, %s', (_name, called, options, score) => {
    expect(scoreOf(called, { expectedTools: two, ...options })).toBeCloseTo(score, 10);
  });

  it('uses the expected tools of the case by default', () => {
    expect(scoreOf(['add'], {}, { tools: ['add'] })).toBeCloseTo(0.9, 10);
    expect(scoreOf(['add'], { expectedTools: ['divide'] }, { tools: ['add'] })).toBeCloseTo(0.1, 10);
  });

  it.each([
    ['names', ['add', 'multiply']],
    ['objects with a tool', { toolCalls: [{ tool: 'add' }, { toolName: 'multiply' }] }],
    ['calls of a model', { toolCalls: [{ function: { name: 'add' } }, { name: 'multiply' }] }],
    ['names under toolCalls', { toolCalls: ['add', 'multiply'] }],
  ])('reads %s', (_name, output) => {
    expect(new ToolCallScorer({ expectedTools: two }).score(output, undefined, context)).toBeCloseTo(0.9, 10);
  });

  it('works without new, and can be extended', () => {
    expect(ToolCallScorer({ expectedTools: two }).score([...two], undefined, context)).toBeCloseTo(0.9, 10);
    class Lenient extends ToolCallScorer {
      override readonly name = 'Lenient';
      override score(...given: Parameters<InstanceType<typeof ToolCallScorer>['score']>): number {
        return Math.max(0.5, super.score(...given));
      }
    }
    const scorer = new Lenient({ expectedTools: ['add'], expectedOrder: true });
    expect(scorer).toBeInstanceOf(ToolCallScorer);
    expect([scorer.name, scorer.score([], undefined, context)]).toEqual(['Lenient', 0.5]);
  });

  it('explains what is missing, too much, not there and out of order', () => {
    const scorer = new ToolCallScorer({ expectedTools: ['add', 'multiply', 'divide'], expectedOrder: true });
    expect(scorer.explain(['multiply', 'add', 'subtract', 'sqrt'], undefined, context)).toBe(
      'Expected [add, multiply, divide], called [multiply, add, subtract, sqrt], missing [divide], ' +
        'not expected [subtract], not tools of the server [sqrt], not in the expected order',
    );
  });

  it('always gives a number from 0 to 1, and no less when a missing tool is called as well', () => {
    const tool = fc.constantFrom('add', 'multiply', 'divide', 'subtract', 'sqrt');
    const lists = fc.record({ expected: fc.uniqueArray(tool, { minLength: 1 }), called: fc.array(tool) });
    fc.assert(
      fc.property(lists, fc.boolean(), fc.boolean(), ({ expected, called }, expectedOrder, allowExtraTools) => {
        const options = { expectedTools: expected, expectedOrder, allowExtraTools };
        const score = scoreOf(called, options);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        const missing = expected.find((name) => name !== 'sqrt' && !called.includes(name));
        if (missing !== undefined) {
          expect(scoreOf([...called, missing], options)).toBeGreaterThanOrEqual(score - 1e-9);
        }
      }),
      { seed: 5 },
    );
  });
});
