import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { scenarioFormats } from '../index.ts';
import { looksLikeConversations } from './conversation-format.ts';

describe('a file is taken for conversations', () => {
  it.each([
    '{ name: a, evaluators: [{ type: regex }] }',
    '{ name: a, evaluators: [], description: x, tags: [], tier: 1, repeat: 2, models: [m] }',
    '{ name: a, successCriteria: x }',
    '{ name: a, failureCriteria: x, failureCriteriaMode: every_turn }',
    '{ id: 1, name: a, instructions: x, createdAt: t, updatedAt: t }',
    '{ name: a, messages: [{ role: user, content: hi }] }',
    '{ name: a, connector: http://x, messages: [], evaluators: [] }',
    '{ name: a, connector: c, whatever: 1, evaluators: [] }',
    '{ connector: c, successCriteria: x }',
    '{ connector: c, evaluators: [] }',
    '{ name: a, userMessages: [hi], dataset: x.csv }',
    '{ name: a, connector: c, judge: {}, dataset: x.csv }',
    '{ name: a, successCriteria: x, input: {} }',
    '{ name: a, connector: c, messages: [], passCriteria: [] }',
    '{ name: a, sucessCriteria: x }',
    '{ name: a, connector: c, maxMesages: 3, evaluator: [] }',
    '{ name: a, personaIds: [p] }',
    '[{ name: a, successCriteria: x }, { name: b }]',
    '[{ name: a, evaluators: [{ type: regex }] }]',
  ])('%s', (text) => {
    const value = parse(text);
    expect(looksLikeConversations(value)).toBe(true);
    expect(scenarioFormats.find((format) => format.recognises(value))?.name).toBe('conversation');
  });
});

describe('a file is left to others', () => {
  it.each([
    ['{ name: a, call: { module: ./x.mjs }, input: {}, evaluators: [], successCriteria: x }', 'assay'],
    ['{ name: a, cal: { module: ./x.mjs }, input: {}, evaluators: [] }', 'assay'],
    ['{ name: a, cal: { module: ./x.mjs }, evaluators: [] }', 'assay'],
    ['{ name: a, input: {}, evaluators: [] }', 'assay'],
    ['{ name: a, cases: [], passCriteria: [] }', 'assay'],
    ['{ name: a, dataset: x.csv, evaluators: [] }', 'assay'],
    ['{ name: a, input: {}, failCriterias: [] }', 'assay'],
    ['{ name: a, target: { binary: x }, task: { prompt: y }, evaluators: [] }', 'llm-tool-test'],
    ['{ name: a, target: { binary: x }, task: y, evaluation: { judge: {} }, models: [m] }', 'llm-tool-test'],
    ['{ model: m, messages: [{ role: user, content: hi }], instructions: x }', undefined],
    ['{ name: db, connection: { host: x } }', undefined],
    ['{ name: kafka, connector: x, tasks: 3 }', undefined],
    ['{ name: pkg, version: 1, scripts: {} }', undefined],
    ['[{ id: c1, name: prod, type: http, baseUrl: http://x }]', undefined],
    ['[{ id: p1, name: Ada, description: x, systemPrompt: y }]', undefined],
    ['[{ id: e1, name: e, scenarioIds: [s1], connectorId: c1 }]', undefined],
    ['[{ name: row, messages: [{ role: user, content: hi }] }]', undefined],
    ['[{ name: a, successCriteria: x }, { name: b, call: { module: x } }]', undefined],
    ['[successCriteria, name]', undefined],
    ['[]', undefined],
    ['text', undefined],
    ['~', undefined],
  ])('%s', (text, format) => {
    const value = parse(text);
    expect(looksLikeConversations(value)).toBe(false);
    expect(scenarioFormats.find((candidate) => candidate.recognises(value))?.name).toBe(format);
  });
});
