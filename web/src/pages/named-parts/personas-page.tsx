import { useSearch } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import type { NamedParts } from '../../../../src/entry/server/api/project.ts';
import { isRecord } from '../../../../src/shared/json.ts';
import type { FormField } from '../../forms/form-field.ts';
import { readForm } from '../../forms/read-form.ts';
import { NamedPartsPage } from './named-parts-page.tsx';
import { Portrait } from './portrait.tsx';

/** Who talks to conversational agents. */
export function PersonasPage() {
  const search = useSearch({ from: '/personas' });
  return (
    <NamedPartsPage
      topic="personas"
      title="Personas"
      subtitle="Who talks to conversational agents; a model plays them"
      noun="persona"
      icon={<Users size={20} />}
      about="A persona has a description and a goal. A scenario names it as its persona, and a model plays it turn by turn."
      search={search}
      startValue={noSettings}
      formOf={personaForm}
      pictureOf={({ name, value }, size) => <Portrait name={name} file={value.portrait} size={size} />}
      summaryOf={({ value }) => String(value.description ?? value.goal ?? '')}
    />
  );
}

const noSettings = {};
const order = ['description', 'goal', 'systemPrompt', 'stopWhen', 'messages', 'model', 'portrait', 'headers'];

function personaForm({ schema }: NamedParts): FormField {
  const all = isRecord(schema.properties) ? schema.properties : {};
  const keys = [...order, ...Object.keys(all)].filter((key) => key in all && key !== 'name');
  return readForm({ ...schema, properties: Object.fromEntries(keys.map((key) => [key, all[key]])) });
}
