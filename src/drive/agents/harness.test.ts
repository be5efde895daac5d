import { describe, expect, it } from 'vitest';
import type { HarnessItem } from '../../domain/harness.ts';
import { oneLine } from '../../shared/text.ts';
import { codex } from './codex/codex.ts';
import { gemini } from './gemini/gemini.ts';
import { opencode } from './opencode/opencode.ts';

const reviewer: HarnessItem = { part: 'subagents', name: 'reviewer', description: 'Reviews texts with care.' };

const requested = (agent: typeof codex, item: HarnessItem, request: string): boolean =>
  agent.harness?.[item.part]?.requested?.(item, oneLine(request)) !== undefined;

describe('a request to the model', () => {
  it.each([
    ['OpenCode 1.18', opencode, 'in parallel.\n- reviewer: Reviews texts with care.'],
    [
      'Gemini CLI 0.61',
      gemini,
      '<subagent>\n <name>reviewer</name>\n <description>Reviews texts with care.</description>',
    ],
    ['Gemini CLI 0.61 with an older model', gemini, '- reviewer -> Reviews texts with care.'],
  ])('of %s shows a sub-agent by its name and its description', (_, agent, request) => {
    expect(requested(agent, reviewer, request)).toBe(true);
    expect(requested(agent, { ...reviewer, name: 'editor' }, request)).toBe(false);
    expect(requested(agent, { ...reviewer, description: 'Reviews code.' }, request)).toBe(false);
    expect(requested(agent, { ...reviewer, description: '' }, request)).toBe(false);
  });

  it('of Gemini CLI shows an extension by its context file alone', () => {
    const extension: HarnessItem = { part: 'plugins', name: 'zebras', description: 'Greet every zebra.' };
    const request = '<extension_context>\n--- Context from: /x/ZEBRAS.md ---\nGreet every zebra.';
    expect(requested(gemini, extension, request)).toBe(true);
    expect(requested(gemini, { ...extension, description: undefined }, `zebras ${request}`)).toBe(false);
  });

  it('of Codex shows its sandbox', () => {
    const request = 'can be read or written. `sandbox_mode` is `read-only`: The sandbox only permits reading files.';
    expect(requested(codex, { part: 'permission_mode', name: 'read-only' }, request)).toBe(true);
    expect(requested(codex, { part: 'permission_mode', name: 'workspace-write' }, request)).toBe(false);
  });
});
