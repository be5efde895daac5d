import { type FileSchemaName, fileJsonSchema, writtenJsonSchema } from '../../src/compose/config/file-schemas.ts';
import { connectorSectionSchema } from '../../src/load/scenarios/formats/conversation/conversation-schema.ts';
import { evaluators } from '../../src/score/evaluators/index.ts';
import { isAnyJson, type JsonSchema } from './schema-keys.ts';

/** Types that stand for sections which the schema of a file leaves open, by the path of the key. */
type Sections = Readonly<Record<string, string>>;

const kinds: readonly { readonly name: string; readonly schema: FileSchemaName; readonly sections: Sections }[] = [
  { name: 'CallKeys', schema: 'scenario', sections: { evaluators: 'readonly Evaluator[]', dataset: 'Dataset' } },
  {
    name: 'CliToolKeys',
    schema: 'cli-tool',
    sections: { evaluators: 'readonly Evaluator[]', gates: 'readonly Gate[]', 'evaluation.gates': 'readonly Gate[]' },
  },
  {
    name: 'ConversationKeys',
    schema: 'conversation',
    sections: {
      evaluators: 'readonly Evaluator[]',
      dataset: 'Dataset',
      connector: 'string | ConnectorKeys',
      connectors: '{ readonly [name: string]: string | ConnectorKeys }',
    },
  },
  { name: 'McpServerKeys', schema: 'mcp-server', sections: { 'workflows.evaluators': 'readonly Evaluator[]' } },
];

const parameters: Readonly<Record<string, string>> = {
  CallKeys: '<Evaluator, Dataset>',
  CliToolKeys: '<Evaluator, Gate>',
  ConversationKeys: '<Evaluator, Dataset>',
  McpServerKeys: '<Evaluator>',
};

/** The types of scenarios in code, from the schemas that check scenario files. */
export function scenarioTypes(): string {
  const shared = new SharedTypes();
  // What comes several times is known only when everything was written once.
  allTypes(shared);
  shared.nameRepeated();
  const types = allTypes(shared);
  return `${[types, ...shared.declarations()].join('\n\n')}\n`;
}

function allTypes(shared: SharedTypes): string {
  const configs = (isGate: boolean): JsonSchema => ({
    properties: Object.fromEntries(
      evaluators
        .filter((evaluator) => (evaluator.isGate ?? false) === isGate)
        .map(({ type, summary, configSchema }) => [
          type,
          { ...(writtenJsonSchema(configSchema) as JsonSchema), description: summary },
        ]),
    ),
    required: evaluators.map(({ type }) => type),
  });
  const ofWork = evaluators.filter(({ needs, isGate }) => needs.includes('workspace') && !isGate);
  return [
    '// Made by scripts/scenario-types.mjs from the schemas of scenario files.',
    ...kinds.map(({ name, schema, sections }) =>
      declaration(`${name}${parameters[name] ?? ''}`, fileJsonSchema(schema) as JsonSchema, shared, sections),
    ),
    declaration('ConnectorKeys', writtenJsonSchema(connectorSectionSchema) as JsonSchema, shared).replace(
      'export ',
      '',
    ),
    `/** Configs of evaluators, by type. */\n${declaration('EvaluatorConfigs', configs(false), shared)}`,
    `/** Configs of gates, by type. */\n${declaration('GateConfigs', configs(true), shared)}`,
    `/** Evaluators that need the work directory of an agent. */\nexport type WorkEvaluator = ${ofWork.map(({ type }) => `'${type}'`).join(' | ') || 'never'};`,
  ].join('\n\n');
}

function declaration(name: string, schema: JsonSchema, shared: SharedTypes, sections: Sections = {}): string {
  return `export interface ${name} ${membersOf(schema, { shared, sections, root: schema, path: '', indent: '' })}`;
}

/** Shorter types are easier to read where they are used. */
const shortestShared = 160;

/** Types that come several times: each gets a name, by the key that it was first found at. */
class SharedTypes {
  readonly #found = new Map<string, { readonly path: string; uses: number }>();
  readonly #names = new Map<string, string>();
  readonly #declared = new Map<string, string>();

  /** The name of a type that is used several times; undefined for one that is not, or is not known to be yet. */
  nameOf(schema: JsonSchema, place: Place, write: (place: Place) => string): string | undefined {
    const whole = write({ ...place, shared: inlineOnly, indent: '' });
    // What the type parameters of a kind stand for is another type in each use.
    if (whole.length < shortestShared || /\b(?:Evaluator|Gate|Dataset|ConnectorKeys)\b/.test(whole)) return undefined;
    const found = this.#found.get(whole) ?? { path: place.path, uses: 0 };
    this.#found.set(whole, { ...found, uses: found.uses + 1 });
    const name = this.#names.get(whole);
    if (name !== undefined && !this.#declared.has(name)) {
      const isObject = schema.type === 'object' && schema.properties !== undefined;
      // Entered first: a type in it may be named as well.
      this.#declared.set(name, '');
      this.#declared.set(
        name,
        `${isObject ? `interface ${name}` : `type ${name} =`} ${write({ ...place, indent: '' })}`,
      );
    }
    return name;
  }

  nameRepeated(): void {
    const taken = new Set(['ConnectorKeys', ...kinds.map(({ name }) => name)]);
    for (const [whole, { path, uses }] of this.#found) {
      if (uses < 2) continue;
      const name = unusedName(path.split('.'), taken);
      taken.add(name);
      this.#names.set(whole, name);
    }
  }

  declarations(): string[] {
    return [...this.#declared.values()].map((text) => (text.startsWith('type ') ? `${text};` : text));
  }
}

/** For the text of a type as a whole, by which it is known again. */
const inlineOnly: Pick<SharedTypes, 'nameOf'> = { nameOf: () => undefined };

/** The last key of a path, with as many keys before it as make it different from others. */
function unusedName(path: readonly string[], taken: ReadonlySet<string>): string {
  for (let length = 1; length <= path.length; length++) {
    const name = `${path.slice(-length).map(capitalized).join('')}Keys`;
    if (!taken.has(name)) return name;
  }
  const whole = path.map(capitalized).join('');
  let number = 2;
  while (taken.has(`${whole}Keys${number}`)) number++;
  return `${whole}Keys${number}`;
}

function capitalized(key: string): string {
  return key
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

interface Place {
  readonly shared: Pick<SharedTypes, 'nameOf'>;
  readonly sections: Sections;
  readonly root: JsonSchema;
  /** Of the value in its file, without the positions in lists. */
  readonly path: string;
  readonly indent: string;
}

function membersOf({ properties = {}, required = [], additionalProperties }: JsonSchema, place: Place): string {
  const indent = `${place.indent}  `;
  const members = Object.entries(properties).flatMap(([key, schema]) => {
    const path = place.path === '' ? key : `${place.path}.${key}`;
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key).replaceAll('"', "'");
    const type = place.sections[path] ?? typeOf(schema, { ...place, path, indent });
    const isRequired = required.includes(key);
    const about = schema.description === undefined ? [] : [`${indent}/** ${commentText(schema.description)} */`];
    return [...about, `${indent}readonly ${name}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};`];
  });
  const isOpen = additionalProperties === true || isEmpty(additionalProperties);
  if (isOpen) members.push(`${indent}readonly [name: string]: unknown;`);
  return members.length === 0 ? '{}' : `{\n${members.join('\n')}\n${place.indent}}`;
}

function commentText(text: string): string {
  return text.replaceAll('*/', '* /').replaceAll('\n', ' ');
}

function isEmpty(schema: JsonSchema | boolean | undefined): boolean {
  return typeof schema === 'object' && Object.keys(schema).length === 0;
}

function typeOf(schema: JsonSchema, place: Place): string {
  const target = resolved(schema, place.root);
  if (target.const !== undefined) return literal(target.const);
  if (target.enum) return target.enum.map(literal).join(' | ');
  if (isAnyJson(target)) return 'unknown';
  const choices = target.anyOf ?? target.oneOf;
  if (choices) {
    const union = (at: Place): string => unionOf(choices.map((choice) => typeOf(choice, at)));
    return place.shared.nameOf(target, place, union) ?? union(place);
  }
  if (target.allOf) return target.allOf.map((part) => `(${typeOf(part, place)})`).join(' & ');
  if (Array.isArray(target.type)) return unionOf(target.type.map((type) => typeOf({ ...target, type }, place)));
  if (target.type === 'array') return `readonly ${inBrackets(typeOf(target.items ?? {}, place))}[]`;
  if (target.type === 'object') return objectType(target, place);
  if (target.type === 'integer') return 'number';
  return typeof target.type === 'string' ? target.type : 'unknown';
}

function objectType(schema: JsonSchema, place: Place): string {
  const { properties, additionalProperties } = schema;
  if (properties) {
    const members = (at: Place): string => membersOf(schema, at);
    return place.shared.nameOf(schema, place, members) ?? members(place);
  }
  if (additionalProperties === false) return 'Readonly<Record<string, never>>';
  const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties, place) : 'unknown';
  return `{ readonly [name: string]: ${values} }`;
}

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  // Only a value of JSON contains itself.
  const target = root.$defs?.[schema.$ref.replace('#/$defs/', '')];
  return target && !isAnyJson(target) ? target : {};
}

function unionOf(types: readonly string[]): string {
  return types.includes('unknown') ? 'unknown' : [...new Set(types)].map(inBrackets).join(' | ');
}

function inBrackets(type: string): string {
  return /^[\w'-]+$|^\{[^|]*\}$/.test(type) ? type : `(${type})`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);
}
