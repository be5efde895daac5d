import * as z from 'zod';
import { type Parts, registeredParts } from '../../../compose/parts.ts';
import type { ConnectorType, EvaluatorType } from '../api/project.ts';

/** The evaluators that scenarios of a project may name. */
export function evaluatorTypes({ evaluators, autoEvaluators }: Parts): EvaluatorType[] {
  const own = new Set(registeredParts.evaluators.map(({ type }) => type));
  return evaluators.map(({ type, label, summary, kind, needs, isGate, configSchema }) => ({
    type,
    label,
    description: summary,
    kind,
    configSchema: jsonSchemaOf(configSchema),
    builtin: own.has(type),
    auto: autoEvaluators.some((auto) => auto.type === type),
    needs: [...needs],
    isGate: isGate ?? false,
  }));
}

/** The kinds of connector that a project may use. */
export function connectorTypes({ connectors }: Parts): ConnectorType[] {
  return connectors.map(({ type, summary, configSchema }) => ({
    type,
    summary,
    configSchema: jsonSchemaOf(configSchema),
  }));
}

function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}
