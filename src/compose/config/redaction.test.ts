import { describe, expect, it } from 'vitest';
import type { Scenario } from '../../domain/scenario.ts';
import type { Project } from './project.ts';
import { RunRedaction } from './redaction.ts';

function scenario(server: object, apiKeys?: Record<string, string>, config: object = { server }): Scenario {
  const target = { type: 'mcp-suite', config };
  return { target, judge: { models: [], samples: undefined, apiKeys } } as unknown as Scenario;
}

const project = {
  config: {
    models: { providers: { own: { apiKey: 'key-of-a-provider', headers: {} } } },
    agents: {},
    webhooks: [],
    export: { headers: {} },
  },
} as unknown as Project;

describe('what scenarios bring along', () => {
  it('is taken out once they are read, and not more than that', () => {
    const redaction = new RunRedaction(project, {
      MY_TOKEN: 'of-the-environment',
      PLAIN: 'from-a-variable',
      CLIENT: 'of-a-client',
    });
    const secrets = [
      'of-the-environment',
      'key-of-a-provider',
      'written-in-env',
      'from-a-variable',
      'sent-in-header',
      'judge-key-value',
      'of-a-started-one',
      'of-a-remote-one',
      'of-a-client',
    ];
    const text = [...secrets, 'harmless-mode'].join(' ');
    expect(redaction.redact(text)).not.toContain('of-the-environment');
    expect(redaction.redact(text)).not.toContain('key-of-a-provider');
    expect(redaction.redact(text)).toContain('written-in-env');
    redaction.learn([
      scenario({ transport: 'stdio', env: { API_KEY: 'written-in-env', MODE: 'harmless-mode' } }),
      scenario({ transport: 'shttp', url: 'http://x', headers: { Authorization: 'Bearer sent-in-header' } }),
      scenario(
        { transport: 'sse', url: 'http://x', headers: { 'X-Api-Key': '${PLAIN}' } },
        { openai: 'judge-key-value' },
      ),
      scenario({}),
      scenario({}, undefined, {
        mcpServers: {
          files: { command: 'node', args: [], env: { NOTES_TOKEN: 'of-a-started-one' } },
          web: {
            url: 'http://x',
            headers: { Authorization: 'Bearer of-a-remote-one' },
            oauth: { clientSecretEnv: 'CLIENT' },
          },
        },
      }),
    ]);
    const redacted = redaction.redact(text);
    for (const secret of secrets) expect(redacted).not.toContain(secret);
    expect(redacted).toContain('harmless-mode');
  });
});
