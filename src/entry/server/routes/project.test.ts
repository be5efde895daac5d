import { describe, expect, it } from 'vitest';
import { scenarioFormatsSchema } from '../api/project.ts';
import type { ServerContext } from '../context.ts';
import { projectRoutes } from './project.ts';

describe('GET /api/scenario-formats', () => {
  it('gives the schema of each kind of file, without the schemas of evaluators', async () => {
    const caller = { role: 'reader', tokenName: null } as const;
    const request = { params: {}, query: {}, body: undefined, caller, raw: new Request('http://127.0.0.1/') };
    const route = projectRoutes.find(({ path }) => path === '/api/scenario-formats');
    const answer = await route?.handle(request, {} as ServerContext);
    const { items } = scenarioFormatsSchema.parse(JSON.parse(JSON.stringify(answer)));
    expect(items.map(({ kind }) => kind)).toEqual(['tool', 'cli-tool', 'conversation', 'mcp-server']);
    const [tool] = items;
    expect(tool?.schema.properties).toHaveProperty('call');
    expect(tool?.schema.properties).not.toHaveProperty('evaluators');
  });
});
