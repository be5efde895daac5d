import { describe, expect, it } from 'vitest';
import { agentKinds } from './index.ts';

describe('the list of agents', () => {
  it('has each name once', () => {
    const names = agentKinds.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['claude-code', 'opencode', 'acp', 'command', 'scripted']));
  });

  it.each(agentKinds)('$name may inherit the key that it needs', ({ keyVariables, inheritedVariables }) => {
    expect(inheritedVariables).toEqual(expect.arrayContaining([...keyVariables]));
  });

  it.each(agentKinds)('$name describes itself and how to install it', ({ install, summary }) => {
    expect(install).not.toBe('');
    expect(summary).not.toMatch(/^[A-Z ]*$|\.$/);
  });
});
