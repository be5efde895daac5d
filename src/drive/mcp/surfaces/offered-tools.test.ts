import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OfferedTools } from './offered-tools.ts';

const providersTake = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const inputSchema = { type: 'object' };

describe('the tools that a model is offered', () => {
  it('have names that providers take, each of which leads back to its tool', () => {
    const names = fc.uniqueArray(
      fc.oneof(
        fc.string({ minLength: 1, maxLength: 90 }),
        fc.constantFrom('a.b', 'a/b', 'a_b', 'a b', 'a_b_2', 'x'.repeat(64), `${'x'.repeat(64)}y`, '1st', 'größe'),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(names, (own) => {
        const offered = new OfferedTools(
          own.map((name) => ({ name, inputSchema })),
          {},
        );
        const offeredNames = offered.forModel.map(({ name }) => name);
        expect(offeredNames.every((name) => providersTake.test(name))).toBe(true);
        expect(new Set(offeredNames).size).toBe(own.length);
        expect(offeredNames.map((name) => offered.find(name)?.ownName)).toEqual(own);
        for (const [index, name] of own.entries()) if (providersTake.test(name)) expect(offeredNames[index]).toBe(name);
      }),
      { seed: 5 },
    );
  });

  it('are called by the name in the wording too, and never by one that the wording took away', () => {
    const offered = new OfferedTools([{ name: 'old', inputSchema }], { old: { name: 'dotted.name' } });
    expect(offered.find('dotted_name')?.ownName).toBe('old');
    expect(offered.find('dotted.name')?.ownName).toBe('old');
    expect(offered.find('old')).toBeUndefined();
  });

  it('are described by description, else by title', () => {
    const offered = new OfferedTools(
      [
        { name: 'a', title: 'Title', description: 'Text', inputSchema },
        { name: 'b', title: 'Title', inputSchema },
        { name: 'c', inputSchema },
      ],
      {},
    );
    expect(offered.forModel.map(({ description }) => description)).toEqual(['Text', 'Title', '']);
  });

  it('are offered once when a server names two the same', () => {
    const offered = new OfferedTools(
      [
        { name: 'a', description: 'first', inputSchema },
        { name: 'a', description: 'second', inputSchema },
      ],
      {},
    );
    expect(offered.forModel).toMatchObject([{ name: 'a', description: 'first' }]);
  });

  it('take arguments by names that providers take', () => {
    const properties = { $filter: { type: 'string' }, 'a b': {}, a_b: {}, ok: {} };
    const [tool] = [
      new OfferedTools([{ name: 'q', inputSchema: { type: 'object', properties, required: ['$filter'] } }], {}),
    ];
    expect(tool.forModel[0]?.inputSchema).toMatchObject({
      properties: { _filter: { type: 'string' }, a_b_2: {}, a_b: {}, ok: {} },
      required: ['_filter'],
    });
    expect(tool.find('q')?.ownArguments({ _filter: 1, a_b: 2, a_b_2: 3, other: 4 })).toEqual({
      $filter: 1,
      a_b: 2,
      'a b': 3,
      other: 4,
    });
  });
});
