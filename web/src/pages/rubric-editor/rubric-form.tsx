import { Scale } from 'lucide-react';
import { isRecord, valueAt } from '../../documents/document-change.ts';
import type { FormView } from '../../file-editor/file-workbench.tsx';
import { readForm } from '../../forms/read-form.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { isWhole, totalWeight, wholeWeights } from './weights.ts';

const text = { type: 'string', minLength: 1 };
const criteriaForm = readForm({
  type: 'object',
  properties: {
    criteria: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: {
          id: { ...text, description: 'a short name; scores are listed by it' },
          weight: { type: 'number', minimum: 0, description: 'its part of the whole' },
          description: { ...text, description: 'what the judge looks for' },
        },
        required: ['id', 'weight', 'description'],
      },
    },
  },
  required: ['criteria'],
});
const moreForm = readForm({
  type: 'object',
  properties: {
    instructions: { type: 'string', description: 'added to the rules of the judge; never in their place' },
    references: {
      type: 'array',
      description: 'what the judge may compare with',
      items: { type: 'object', properties: { name: text, text: { type: 'string' } }, required: ['name', 'text'] },
    },
  },
});

/** The form for a rubric: criteria with weights that add up. */
export function RubricForm({ value, problems, onChange }: FormView) {
  const criteria = valueAt(value, ['criteria']);
  const items: readonly unknown[] = Array.isArray(criteria) ? criteria : [];
  const weights = items.map((item) => (isRecord(item) ? item.weight : undefined));
  const addUp = (): void => {
    const changes = wholeWeights(weights).map((value, index) => ({
      kind: 'set' as const,
      path: ['criteria', index, 'weight'],
      value,
    }));
    onChange(...changes);
  };
  const shown = isRecord(value) ? value : {};
  return (
    <>
      <Card
        title="Criteria"
        actions={
          <>
            <span role="status">
              <Badge tone={isWhole(weights) ? 'good' : 'bad'}>weights add up to {totalWeight(weights)}</Badge>
            </span>
            <Button
              size="sm"
              icon={<Scale size={13} aria-hidden />}
              disabled={items.length === 0 || totalWeight(weights) === 1}
              onClick={addUp}
            >
              Make it 1
            </Button>
          </>
        }
      >
        <SchemaForm field={criteriaForm} value={shown} problems={problems} onChange={onChange} isBare />
      </Card>
      <Card title="For the judge">
        <SchemaForm field={moreForm} value={shown} problems={problems} onChange={onChange} />
      </Card>
    </>
  );
}
