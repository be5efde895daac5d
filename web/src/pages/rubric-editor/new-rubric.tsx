import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Page } from '../../kit/page.tsx';

/** Asks for the file of a new rubric. */
export function NewRubric() {
  const navigate = useNavigate();
  const [file, setFile] = useState('rubrics/quality.yaml');
  const isNamed = /^[^./\\][^\\]*\.(?:ya?ml|jsonc?)$/.test(file);
  return (
    <Page title="New rubric" breadcrumbs={[{ label: 'Rubrics', to: '/rubrics' }, { label: 'New' }]}>
      <form
        className="flex max-w-xl flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isNamed) void navigate({ to: '/rubrics/edit', search: { file, new: '1' } });
        }}
      >
        <Card>
          <Field
            label="File"
            hint="In the project; scenarios name it relative to themselves"
            error={isNamed ? undefined : 'The name must lie in the project and end in .yaml or .json'}
          >
            {(id, describedBy) => (
              <TextInput id={id} aria-describedby={describedBy} value={file} onChange={setFile} className="font-mono" />
            )}
          </Field>
        </Card>
        <div>
          <Button type="submit" variant="primary" disabled={!isNamed}>
            Open in the editor
          </Button>
        </div>
      </form>
    </Page>
  );
}
