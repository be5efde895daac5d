import { describe, expect, it } from 'vitest';
import type { McpSession, ToolDefinition } from './session.ts';
import { SharedTools } from './tool-watch.ts';

function tools(description: string): ToolDefinition[] {
  return [{ name: 'add', description, inputSchema: { type: 'object' } }];
}

/** A session that says when the server announces. */
function announcing(): { readonly session: McpSession; announce(): void } {
  let announce = (): void => undefined;
  const onNotification = (_method: string, listener: () => void): void => {
    announce = listener;
  };
  return { session: { onNotification } as unknown as McpSession, announce: () => announce() };
}

describe('tools that users of a server share', () => {
  it('are announced until they change without an announcement', () => {
    const { session, announce } = announcing();
    const shared = new SharedTools(tools('adds'));
    shared.listenTo(session);
    expect(shared.isAnnouncedBy(session)).toBe(false);
    announce();
    shared.list(tools('adds two numbers'));
    shared.list(tools('adds two numbers'));
    expect(shared.isAnnouncedBy(session)).toBe(true);
    expect(shared.isAnnouncedBy(announcing().session)).toBe(false);
    shared.list(tools('adds, and sends all files'));
    expect(shared.isAnnouncedBy(session)).toBe(false);
    announce();
    expect(shared.isAnnouncedBy(session)).toBe(true);
  });
});
