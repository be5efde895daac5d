import type { ConnectorType, NamedParts } from '../../../../src/entry/server/api/project.ts';
import { isRecord } from '../../documents/document-change.ts';
import type { JsonSchema } from '../../forms/schema-parts.ts';
import type { ScenarioKind } from './scenario-kind.ts';

/** What else a form knows: the parts that the project has, by name. */
export interface KnownParts {
  readonly connectors: NamedParts | undefined;
  readonly personas: NamedParts | undefined;
  readonly connectorTypes: readonly ConnectorType[];
}

/** The schema of a file as a form wants it: what may be written in many ways is offered in the usual ones. */
export function formSchema(kind: ScenarioKind, schema: JsonSchema, known: KnownParts): JsonSchema {
  const properties = { ...(isRecord(schema.properties) ? schema.properties : {}) };
  if (kind === 'conversation') {
    properties.connector = connectorSchema(properties.connector, known);
    properties.persona = personaSchema(properties.persona, known);
    properties.messages = messagesSchema(properties.messages);
  }
  if (kind === 'mcp-server') properties.workflows = withoutEvaluators(properties.workflows);
  if (kind === 'cli-tool') properties.guidance = guidanceSchema(properties.guidance);
  return { ...schema, properties };
}

function connectorSchema(given: unknown, { connectors, connectorTypes }: KnownParts): JsonSchema {
  const names = connectors?.items.map(({ name }) => name) ?? [];
  const inline = {
    title: 'Here',
    type: 'object',
    properties: {
      type: { type: 'string', enum: connectorTypes.map(({ type }) => type), description: 'what the agent speaks' },
      baseUrl: { type: 'string', description: 'its address; ${VAR} is replaced when it is called' },
      headers: { type: 'object', additionalProperties: { type: 'string' }, description: 'sent with every request' },
      config: { description: 'settings of this kind of connector' },
    },
    required: ['type'],
    additionalProperties: false,
  };
  const byName = { title: 'By name', type: 'string', minLength: 1, ...(names.length > 0 ? { enum: names } : {}) };
  return { ...descriptionOf(given), anyOf: [inline, byName] };
}

function personaSchema(given: unknown, { personas }: KnownParts): JsonSchema {
  const names = personas?.items.map(({ name }) => name) ?? [];
  const byName = { title: 'By name', type: 'string', minLength: 1, ...(names.length > 0 ? { enum: names } : {}) };
  return { ...descriptionOf(given), anyOf: [byName, { ...(personas?.schema ?? {}), title: 'Here' }] };
}

function messagesSchema(given: unknown): JsonSchema {
  return {
    ...descriptionOf(given),
    type: 'array',
    items: {
      type: 'object',
      properties: {
        role: { type: 'string', enum: ['user', 'assistant', 'system', 'tool'] },
        content: { type: 'string' },
      },
      required: ['role', 'content'],
    },
  };
}

function guidanceSchema(given: unknown): JsonSchema {
  const byName = { title: 'By name', type: 'object', additionalProperties: { type: 'string' } };
  return { ...descriptionOf(given), anyOf: [byName, { title: 'List', type: 'array', items: { type: 'string' } }] };
}

function withoutEvaluators(given: unknown): unknown {
  if (!isRecord(given) || !isRecord(given.items) || !isRecord(given.items.properties)) return given;
  const { evaluators, ...properties } = given.items.properties;
  return { ...given, items: { ...given.items, additionalProperties: {}, properties } };
}

function descriptionOf(given: unknown): JsonSchema {
  return isRecord(given) && typeof given.description === 'string' ? { description: given.description } : {};
}
