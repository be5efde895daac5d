import { describe, expect, it } from 'vitest';
import type { BridgeEnds, Message, Stage } from '../stage.ts';
import { LegacyAgentBridge } from './legacy-agent-bridge.ts';
import { ModernAgentBridge } from './modern-agent-bridge.ts';

/** A bridge, and what it has sent to either side since the last look. */
function between(Kind: new (ends: BridgeEnds) => Stage) {
  const sent = { agent: [] as Message[], server: [] as Message[] };
  const bridge = new Kind({
    toAgent: (message) => sent.agent.push(message),
    toServer: (message) => sent.server.push(message),
  });
  const look = () => ({ agent: sent.agent.splice(0), server: sent.server.splice(0) });
  return {
    agent: (message: Message) => {
      bridge.fromAgent({ jsonrpc: '2.0', ...message });
      return look();
    },
    server: (message: Message) => {
      bridge.fromServer({ jsonrpc: '2.0', ...message });
      return look();
    },
  };
}

const serverInfo = { name: 'sample', version: '1' };
const elicitation = { method: 'elicitation/create', params: { message: 'Which?' } };
const sampling = { method: 'sampling/createMessage', params: { messages: [] } };

describe('an agent that begins with a handshake, at a server without one', () => {
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };

  function greeted() {
    const sides = between(LegacyAgentBridge);
    const params = { protocolVersion: '2025-06-18', capabilities: { elicitation: {} }, clientInfo: { name: 'a' } };
    const { server } = sides.agent({ id: 0, method: 'initialize', params });
    expect(server).toMatchObject([
      {
        id: 'assay-1',
        method: 'server/discover',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
            'io.modelcontextprotocol/clientInfo': { name: 'a' },
          },
        },
      },
    ]);
    const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
    const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities, _meta };
    expect(sides.server({ id: 'assay-1', result }).agent).toEqual([
      { jsonrpc: '2.0', id: 0, result: { protocolVersion: '2025-06-18', capabilities, serverInfo } },
    ]);
    return sides;
  }

  it('is answered what the server no longer knows, and gets the changes that it did not request', () => {
    const sides = greeted();
    expect(sides.agent({ id: 1, method: 'ping' })).toMatchObject({ agent: [{ id: 1, result: {} }], server: [] });
    expect(sides.agent({ method: 'notifications/initialized' }).server).toMatchObject([
      { id: 'assay-2', method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } },
    ]);
    const uri = 'note://first';
    expect(sides.agent({ id: 2, method: 'resources/subscribe', params: { uri } })).toMatchObject({
      agent: [{ id: 2, result: {} }],
      server: [
        { id: 'assay-3', params: { notifications: { toolsListChanged: true, resourceSubscriptions: [uri] } } },
        { method: 'notifications/cancelled', params: { requestId: 'assay-2' } },
      ],
    });
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 'assay-3' };
    const acknowledged = { method: 'notifications/subscriptions/acknowledged', params: { _meta } };
    expect(sides.server(acknowledged).agent).toEqual([]);
    expect(sides.server({ method: 'notifications/resources/updated', params: { uri, _meta } }).agent).toEqual([
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } },
    ]);
    sides.agent({ id: 3, method: 'logging/setLevel', params: { level: 'info' } });
    expect(sides.agent({ id: 4, method: 'tools/list', params: { _meta: { progressToken: 7 } } }).server).toMatchObject([
      { params: { _meta: { progressToken: 7, 'io.modelcontextprotocol/logLevel': 'info' } } },
    ]);
  });

  it('gives input in rounds, and the state comes back as it was', () => {
    const sides = greeted();
    sides.agent({ id: 1, method: 'tools/call', params: { name: 'order', arguments: { a: 1 } } });
    const needs = {
      resultType: 'input_required',
      inputRequests: { x: elicitation, y: elicitation },
      requestState: 'ä=',
    };
    const { agent } = sides.server({ id: 'assay-2', result: needs });
    expect(agent).toMatchObject([
      { id: 'assay-input-1', ...elicitation },
      { id: 'assay-input-2', ...elicitation },
    ]);
    expect(sides.agent({ id: 'assay-input-2', result: { action: 'decline' } }).server).toEqual([]);
    const { server } = sides.agent({ id: 'assay-input-1', error: { code: -1, message: 'no' } });
    const inputResponses = { x: { action: 'cancel' }, y: { action: 'decline' } };
    const again = { name: 'order', arguments: { a: 1 }, requestState: 'ä=', inputResponses };
    expect(server).toMatchObject([{ id: 'assay-3', method: 'tools/call', params: again }]);
    const { server: third } = sides.server({
      id: 'assay-3',
      result: { resultType: 'input_required', requestState: 'b' },
    });
    expect(third).toMatchObject([{ id: 'assay-4', params: { requestState: 'b' } }]);
    expect(third[0]?.params).not.toHaveProperty('inputResponses');
    expect(sides.server({ id: 'assay-4', result: { resultType: 'complete', content: [] } }).agent).toEqual([
      { jsonrpc: '2.0', id: 1, result: { content: [] } },
    ]);
  });

  it('gets an error when it cannot give the input, and can cancel', () => {
    const sides = greeted();
    sides.agent({ id: 1, method: 'tools/call', params: { name: 'x' } });
    sides.server({ id: 'assay-2', result: { resultType: 'input_required', inputRequests: { s: sampling } } });
    expect(sides.agent({ id: 'assay-input-1', error: { code: -1, message: 'no model' } })).toMatchObject({
      agent: [{ id: 1, error: { message: expect.stringContaining('no model') } }],
      server: [],
    });
    sides.agent({ id: 2, method: 'tools/call', params: { name: 'x' } });
    expect(sides.agent({ method: 'notifications/cancelled', params: { requestId: 2 } }).server).toEqual([
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'assay-3' } },
    ]);
    expect(sides.server({ id: 'assay-3', result: {} }).agent).toEqual([]);
    expect(sides.server({ id: 9, method: 'roots/list' }).server).toMatchObject([{ id: 9, error: { code: -32_601 } }]);
  });
});

describe('an agent whose requests stand for themselves, at a server with a handshake', () => {
  const capabilities = { tools: { listChanged: true }, logging: {} };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  const ask = (id: unknown, method: string, params: Message = {}) => ({ id, method, params: { ...params, _meta } });

  function greeted() {
    const sides = between(ModernAgentBridge);
    expect(sides.agent(ask('a', 'tools/list')).server).toMatchObject([
      { id: 'assay-1', method: 'initialize', params: { capabilities: { elicitation: {} } } },
    ]);
    expect(sides.agent(ask('b', 'server/discover'))).toEqual({ agent: [], server: [] });
    const result = { protocolVersion: '2025-11-25', capabilities, serverInfo, instructions: 'Use it.' };
    const { agent, server } = sides.server({ id: 'assay-1', result });
    expect(server).toEqual([
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 'assay-2', method: 'tools/list', params: {} },
    ]);
    expect(agent).toMatchObject([
      {
        id: 'b',
        result: {
          resultType: 'complete',
          supportedVersions: ['2026-07-28'],
          capabilities,
          instructions: 'Use it.',
          ttlMs: 0,
          cacheScope: 'private',
          _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
        },
      },
    ]);
    return sides;
  }

  it('is refused what the newer protocol does not have', () => {
    const sides = between(ModernAgentBridge);
    const refused = (message: Message) => sides.agent(message).agent;
    expect(refused(ask(1, 'ping'))).toMatchObject([{ id: 1, error: { code: -32_601 } }]);
    expect(refused({ id: 2, method: 'tools/list' })).toMatchObject([{ id: 2, error: { code: -32_602 } }]);
    const newer = { ..._meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    expect(refused({ id: 3, method: 'tools/list', params: { _meta: newer } })).toMatchObject([
      { id: 3, error: { code: -32_022, data: { supported: ['2026-07-28'], requested: '2099-01-01' } } },
    ]);
    sides.agent(ask(4, 'tools/list'));
    const error = { code: -32_600, message: 'not now' };
    expect(sides.server({ id: 'assay-1', error }).agent).toMatchObject([{ id: 4, error }]);
  });

  it('gives the input that the server requests, one after the other', () => {
    const sides = greeted();
    sides.agent(ask('call', 'tools/call', { name: 'order' }));
    expect(sides.server({ id: 1, ...elicitation }).agent).toMatchObject([
      {
        id: 'call',
        result: { resultType: 'input_required', requestState: 'assay-3', inputRequests: { input: elicitation } },
      },
    ]);
    sides.server({ id: 2, ...sampling });
    const state = { name: 'order', requestState: 'assay-3' };
    expect(sides.agent(ask('again', 'tools/call', state))).toMatchObject({
      agent: [{ id: 'again', result: { inputRequests: { input: elicitation } } }],
      server: [],
    });
    const given = { ...state, inputResponses: { input: { action: 'accept' } } };
    expect(sides.agent(ask('second', 'tools/call', given))).toMatchObject({
      server: [{ id: 1, result: { action: 'accept' } }],
      agent: [{ id: 'second', result: { inputRequests: { input: sampling } } }],
    });
    // The server did not wait for its last request.
    expect(sides.server({ id: 'assay-3', result: { content: [] } }).agent).toEqual([]);
    expect(sides.agent(ask('third', 'tools/call', { ...state, inputResponses: { input: {} } }))).toMatchObject({
      server: [{ id: 2, result: {} }],
      agent: [{ id: 'third', result: { resultType: 'complete', content: [] } }],
    });
    expect(sides.server({ id: 3, ...sampling }).server).toMatchObject([{ id: 3, error: { code: -32_603 } }]);
    expect(sides.server({ id: 4, method: 'ping' }).server).toMatchObject([{ id: 4, result: {} }]);
  });

  it('gets the changes that it listens to and the logs that it requested, and can cancel', () => {
    const sides = greeted();
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['note://first'] };
    const { agent, server } = sides.agent(ask('listen', 'subscriptions/listen', { notifications }));
    const tag = { 'io.modelcontextprotocol/subscriptionId': 'listen' };
    expect(agent).toEqual([
      { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta: tag } },
    ]);
    expect(server).toMatchObject([{ method: 'resources/subscribe', params: { uri: 'note://first' } }]);
    expect(sides.server({ method: 'notifications/tools/list_changed' }).agent).toMatchObject([
      { params: { _meta: tag } },
    ]);
    expect(sides.server({ method: 'notifications/prompts/list_changed' }).agent).toEqual([]);
    const log = { method: 'notifications/message', params: { level: 'info', data: 'x' } };
    expect(sides.server(log).agent).toEqual([]);
    const loud = { ..._meta, 'io.modelcontextprotocol/logLevel': 'debug' };
    expect(sides.agent({ id: 5, method: 'tools/call', params: { name: 'x', _meta: loud } }).server).toMatchObject([
      { method: 'logging/setLevel', params: { level: 'debug' } },
      { method: 'tools/call', params: { name: 'x' } },
    ]);
    expect(sides.server(log).agent).toMatchObject([log]);
    expect(sides.agent({ method: 'notifications/cancelled', params: { requestId: 5 } }).server).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: 'assay-5' } },
    ]);
    expect(sides.agent({ method: 'notifications/cancelled', params: { requestId: 'listen' } }).server).toMatchObject([
      { method: 'resources/unsubscribe' },
    ]);
    expect(sides.server({ method: 'notifications/tools/list_changed' }).agent).toEqual([]);
    sides.agent(ask(6, 'resources/read', { uri: 'note://missing' }));
    expect(sides.server({ id: 'assay-7', error: { code: -32_002, message: 'missing' } }).agent).toMatchObject([
      { id: 6, error: { code: -32_602, message: 'missing' } },
    ]);
  });
});
