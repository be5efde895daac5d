import { Play } from 'lucide-react';
import { useState } from 'react';
import type { AddedTest, AddTest, HandCall, TestPlaces } from '../../../../../src/entry/server/api/workbench.ts';
import { addTest, testPlacesQuery } from '../../../data/workbench.ts';
import { Button, LinkButton } from '../../../kit/button.tsx';
import { CodeBlock } from '../../../kit/code.tsx';
import { Dialog, FormDialog } from '../../../kit/dialog.tsx';
import { Field, Select, TextInput } from '../../../kit/field.tsx';
import { GuardedButton } from '../../../kit/guarded-button.tsx';
import { ErrorView, Remark } from '../../../kit/page.tsx';
import { useChange } from '../../../kit/use-change.ts';
import { useRead } from '../../../kit/use-read.tsx';
import { useStartRun } from '../../runs/use-start-run.ts';

interface DialogProps {
  readonly sessionId: string;
  readonly call: HandCall;
  readonly onClose: () => void;
}

/** Makes a call into a test of a suite. */
export function AddTestDialog(props: DialogProps) {
  const [data, instead] = useRead(testPlacesQuery(props.sessionId), 4);
  if (data) return <AddTestForm {...props} places={data} />;
  return (
    <Dialog title="Add to suite" isOpen onClose={props.onClose}>
      {instead}
    </Dialog>
  );
}

const newSuite = '\u0000new';

interface Draft {
  readonly file: string;
  /** Of the file, or `newSuite`. */
  readonly suite: string;
  readonly newName: string;
  readonly name: string;
  readonly expect: NonNullable<AddTest['expect']>;
}

/** Where the test goes and what it expects, until it is written. */
function AddTestForm({ sessionId, call, onClose, places }: DialogProps & { readonly places: TestPlaces }) {
  const [draft, setDraft] = useState(() => firstDraft(call, places));
  const { file, name, expect } = draft;
  const suite = draft.suite === newSuite ? draft.newName.trim() : draft.suite;
  const adding = useChange({
    send: () => addTest(sessionId, call.id, { file, suite, name: name.trim(), expect }),
    stale: [['scenarios'], ['file', file], ['mcp'], testPlacesQuery(sessionId).queryKey],
    isRefusalShown: true,
  });
  if (adding.data) return <Added added={adding.data} onClose={onClose} />;
  const isReady = ![suite, name.trim(), file.trim()].includes('');
  return (
    <FormDialog
      title="Add to suite"
      submit="Add the test"
      onSubmit={() => adding.mutate()}
      onClose={onClose}
      sending={adding}
      isReady={isReady}
    >
      <PlaceFields call={call} places={places} draft={draft} onChange={setDraft} />
      <Field label="Name of the test" isRequired>
        <TextInput value={name} onChange={(text) => setDraft({ ...draft, name: text })} />
      </Field>
      <Field label="Expects">
        <Select
          options={expectations(call)}
          value={expect}
          onChange={(wanted) => setDraft({ ...draft, expect: wanted as Draft['expect'] })}
        />
      </Field>
    </FormDialog>
  );
}

function firstDraft(call: HandCall, places: TestPlaces): Draft {
  const file = places.files.find(({ whyNot }) => whyNot === null)?.file ?? places.newFile;
  const [suite = newSuite] = suitesOf(call, places, file);
  const subject = String(call.params.name ?? call.params.uri);
  return { file, suite, newName: places.newSuite, name: `${subject} answers as by hand`, expect: 'same' };
}

/** Suites of a file that can have a test of the call. */
function suitesOf({ testPart }: HandCall, { files }: TestPlaces, wanted: string): string[] {
  const suites = files.find(({ file }) => file === wanted)?.suites ?? [];
  return suites.filter(({ part }) => part === testPart).map(({ name }) => name);
}

/** The file and the suite. */
function PlaceFields({
  call,
  places,
  draft,
  onChange,
}: {
  call: HandCall;
  places: TestPlaces;
  draft: Draft;
  onChange: (draft: Draft) => void;
}) {
  const suites = suitesOf(call, places, draft.file);
  const files = places.files.filter(({ whyNot }) => whyNot === null).map(({ file }) => file);
  const chooseFile = (file: string): void => {
    const [suite = newSuite] = suitesOf(call, places, file);
    onChange({ ...draft, file, suite });
  };
  return (
    <>
      {places.files
        .filter(({ whyNot }) => whyNot !== null)
        .map(({ file, whyNot }) => (
          <Remark key={file} tone="info">
            {file} cannot be changed from here: {whyNot}.
          </Remark>
        ))}
      <FileField files={files} file={draft.file} onChange={chooseFile} />
      <Field label="Suite">
        <Select
          options={[...suites.map((name) => ({ value: name, label: name })), { value: newSuite, label: 'A new suite' }]}
          value={draft.suite}
          onChange={(suite) => onChange({ ...draft, suite })}
        />
      </Field>
      {draft.suite === newSuite && (
        <Field label="Name of the new suite" isRequired>
          <TextInput value={draft.newName} onChange={(newName) => onChange({ ...draft, newName })} />
        </Field>
      )}
    </>
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
      {files.length === 0 ? (
        <TextInput value={file} onChange={onChange} />
      ) : (
        <Select options={files.map((each) => ({ value: each, label: each }))} value={file} onChange={onChange} />
      )}
    </Field>
  );
}

function Added({ added: { file, suite, text, isNewFile }, onClose }: { added: AddedTest; onClose: () => void }) {
  const starting = useStartRun();
  const actions = (
    <>
      <Button variant="ghost" onClick={onClose}>
        Close
      </Button>
      <LinkButton to="/scenarios/edit" search={{ file }}>
        Open the file
      </LinkButton>
      <GuardedButton
        needs="run"
        variant="primary"
        icon={<Play size={14} aria-hidden />}
        isBusy={starting.isPending}
        onClick={() => starting.mutate({ paths: [file] })}
      >
        Run the file
      </GuardedButton>
    </>
  );
  return (
    <Dialog title="Added to suite" isOpen onClose={onClose} actions={actions}>
      <p>
        The test is in the suite “{suite}” of {isNewFile && 'the new file '}
        <code className="font-mono text-xs">{file}</code>.
      </p>
      <CodeBlock text={text} label="The test" />
      {starting.error && <ErrorView error={starting.error} />}
    </Dialog>
  );
}
