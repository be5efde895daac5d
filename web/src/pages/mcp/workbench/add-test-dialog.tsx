import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';
import type { AddedTest, AddTest, HandCall, TestPlaces } from '../../../../../src/entry/server/api/workbench.ts';
import { addTest, testPlacesQuery } from '../../../data/workbench.ts';
import { Button, LinkButton } from '../../../kit/button.tsx';
import { CodeBlock } from '../../../kit/code.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Field, Select, TextInput } from '../../../kit/field.tsx';
import { ErrorView, Remark, Skeleton } from '../../../kit/page.tsx';

interface DialogProps {
  readonly sessionId: string;
  readonly call: HandCall;
  readonly onClose: () => void;
}

/** Makes a call into a test of a suite. */
export function AddTestDialog(props: DialogProps) {
  const { data, error } = useQuery(testPlacesQuery(props.sessionId));
  if (data !== undefined) return <AddTestForm {...props} places={data} />;
  return (
    <Dialog title="Add to suite" isOpen onClose={props.onClose}>
      {error ? <ErrorView error={error} /> : <Skeleton lines={4} />}
    </Dialog>
  );
}

const newSuite = '\u0000new';

/** Where the test goes and what it expects, until it is written. */
function AddTestForm({ sessionId, call, onClose, places }: DialogProps & { readonly places: TestPlaces }) {
  const client = useQueryClient();
  const editable = places.files.filter(({ whyNot }) => whyNot === null);
  const [file, setFile] = useState(editable[0]?.file ?? places.newFile);
  const suites = (editable.find((each) => each.file === file)?.suites ?? []).filter(
    ({ part }) => part === call.testPart,
  );
  const [chosen, setSuite] = useState(suites[0]?.name ?? newSuite);
  const [newName, setNewName] = useState('By hand');
  const [name, setName] = useState(`${String(call.params.name ?? call.params.uri)} answers as by hand`);
  const [expect, setExpect] = useState<NonNullable<AddTest['expect']>>('same');
  const suite = suites.some((each) => each.name === chosen) ? chosen : newName.trim();
  const adding = useMutation({
    mutationFn: () => addTest(sessionId, call.id, { file, suite, name: name.trim(), expect }),
    onSuccess: () => {
      for (const queryKey of [['scenarios'], ['file', file], ['mcp'], testPlacesQuery(sessionId).queryKey])
        void client.invalidateQueries({ queryKey });
    },
  });
  if (adding.data) return <Added added={adding.data} onClose={onClose} />;
  const isWrong = suite === '' || name.trim() === '' || file.trim() === '';
  const actions = (
    <>
      <Button variant="ghost" onClick={onClose}>
        Cancel
      </Button>
      <Button variant="primary" isBusy={adding.isPending} disabled={isWrong} onClick={() => adding.mutate()}>
        Add the test
      </Button>
    </>
  );
  return (
    <Dialog title="Add to suite" isOpen onClose={onClose} actions={actions}>
      <div className="flex flex-col gap-4">
        {places.files
          .filter(({ whyNot }) => whyNot !== null)
          .map((each) => (
            <Remark key={each.file} tone="info">
              {each.file} cannot be changed from here: {each.whyNot}.
            </Remark>
          ))}
        <FileField files={editable.map((each) => each.file)} file={file} onChange={setFile} />
        <Field label="Suite">
          {(id) => (
            <Select
              id={id}
              label="Suite"
              options={[
                ...suites.map((each) => ({ value: each.name, label: each.name })),
                { value: newSuite, label: 'A new suite' },
              ]}
              value={suites.some((each) => each.name === chosen) ? chosen : newSuite}
              onChange={setSuite}
            />
          )}
        </Field>
        {!suites.some((each) => each.name === chosen) && (
          <Field label="Name of the new suite" isRequired>
            {(id) => <TextInput id={id} value={newName} onChange={setNewName} />}
          </Field>
        )}
        <Field label="Name of the test" isRequired>
          {(id) => <TextInput id={id} value={name} onChange={setName} />}
        </Field>
        <Field label="Expects">
          {(id) => (
            <Select
              id={id}
              label="Expects"
              options={expectations(call)}
              value={expect}
              onChange={(wanted) => setExpect(wanted as typeof expect)}
            />
          )}
        </Field>
        {adding.error && <ErrorView error={adding.error} />}
      </div>
    </Dialog>
  );
}

function expectations({ error, testPart }: HandCall): { value: string; label: string }[] {
  const isTool = testPart !== 'resource' && testPart !== 'prompt';
  return [
    { value: 'same', label: error === null ? 'The same answer' : 'The same error' },
    ...(isTool && error === null ? [{ value: 'part', label: 'At least the fields of this answer' }] : []),
    { value: 'answered', label: error === null ? 'An answer, whatever it says' : 'An error, whatever it says' },
  ];
}

/** A server that no file names yet gets a file. */
function FileField({
  files,
  file,
  onChange,
}: {
  files: readonly string[];
  file: string;
  onChange: (file: string) => void;
}) {
  return (
    <Field
      label="File"
      hint={files.length === 0 ? 'No scenario file names this server yet: this one is created' : undefined}
    >
      {(id, describedBy) =>
        files.length === 0 ? (
          <TextInput id={id} aria-describedby={describedBy} value={file} onChange={onChange} />
        ) : (
          <Select
            id={id}
            label="File"
            options={files.map((each) => ({ value: each, label: each }))}
            value={file}
            onChange={onChange}
          />
        )
      }
    </Field>
  );
}

function Added({ added: { file, suite, text, isNewFile }, onClose }: { added: AddedTest; onClose: () => void }) {
  const actions = (
    <>
      <Button variant="ghost" onClick={onClose}>
        Close
      </Button>
      <LinkButton variant="primary" icon={<Play size={14} aria-hidden />} to="/scenarios/edit" search={{ file }}>
        Open to run it
      </LinkButton>
    </>
  );
  return (
    <Dialog title="Added to suite" isOpen onClose={onClose} actions={actions}>
      <div className="flex flex-col gap-3">
        <p>
          The test is in the suite “{suite}” of {isNewFile && 'the new file '}
          <code className="font-mono text-xs">{file}</code>.
        </p>
        <CodeBlock text={text} label="The test" />
      </div>
    </Dialog>
  );
}
