import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { petStatuses, type Order, type Pet, type PetstoreClient } from '../../../../client/src/index.ts';
import { useCategoryNames } from '../categories/use-category-names.ts';
import type { Changes } from '../changes/pet-actions.ts';
import { shortNameOf, tellTyped } from '../changes/words.ts';
import { draftOf, labelOf, petOf, readChanges } from '../draft.ts';
import { PetForm } from '../pet-form.tsx';
import { language } from '../day.ts';
import { keepUnsaved, readUnsaved, type Typed } from '../session.ts';
import { Barcode } from './barcode.tsx';

export interface PetDetailsProps {
  client: PetstoreClient;
  pet: Pet;
  changes: Changes | undefined;
  /** True if the person asked to type. */
  isEditing: boolean;
  /** True if it lies above all else. */
  isModal: boolean;
  onClose: () => void;
  /** Told in a modal, from which nobody reaches what is told elsewhere. */
  children: ComponentChildren;
}

/** The details of a pet, its actions and its orders: beside the list, or in a modal where there is no room. */
export function PetDetails({ client, pet, changes, isEditing, isModal, ...props }: PetDetailsProps) {
  const { onClose, children } = props;
  const names = useCategoryNames();
  const box = useRef<HTMLDialogElement>(null);
  const Box = isModal ? 'dialog' : 'section';
  // The row behind a modal takes the focus only once that is closed.
  const close = () => (isModal ? box.current?.close() : onClose());
  useLayoutEffect(() => {
    if (isModal) box.current?.showModal();
    const field = isEditing ? box.current?.querySelector<HTMLInputElement>('input') : undefined;
    field?.focus();
    if (field) field.setSelectionRange(field.value.length, field.value.length);
    else box.current?.querySelector<HTMLElement>('.close')?.focus();
  }, [isEditing, isModal]);
  const remove = () => {
    changes?.actions.remove(pet);
    close();
  };
  return (
    <Box
      ref={box}
      class="details card"
      aria-labelledby="details-title"
      onClose={onClose}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        keepUnsaved(`pet-${pet.id}`, undefined);
        close();
      }}
    >
      <header>
        <h2 id="details-title" tabIndex={0}>
          {pet.name.trim() === '' ? <em>No name</em> : <bdi>{pet.name}</bdi>}
        </h2>
        <button type="button" class="plain small close" aria-label="Close details" onClick={close}>
          Close
        </button>
      </header>
      <p class="facts">
        <span class="on-screen">{labelOf(pet.status)}</span>
        <bdi>{names.nameOf(pet.categoryId) ?? `Category ${pet.categoryId}`}</bdi>
        <span>Id {pet.id.toString()}</span>
      </p>
      <Barcode id={pet.id} />
      {changes && (
        <>
          <div class="statuses" role="group" aria-label="Status">
            {[...petStatuses, undefined].map((status) => (
              <button
                type="button"
                key={status ?? 'none'}
                class="plain small"
                aria-pressed={pet.status === status}
                onClick={() => void changes.actions.setStatus(pet, status)}
              >
                {labelOf(status)}
              </button>
            ))}
          </div>
          <button
            type="button"
            class={pet.status === 'sold' ? 'plain' : 'primary'}
            onClick={() => void changes.actions.setStatus(pet, pet.status === 'sold' ? 'available' : 'sold')}
          >
            {pet.status === 'sold' ? 'Return' : 'Sell'}
          </button>
          <EditPet pet={pet} changes={changes} onSaved={close} />
        </>
      )}
      <PetOrders client={client} pet={pet} />
      <div class="edit-buttons">
        <button type="button" class="plain small" onClick={() => print()}>
          Print label
        </button>
        {changes?.mayDelete && (
          <button type="button" class="plain small danger" onClick={remove}>
            Remove
          </button>
        )}
      </div>
      {isModal && children}
    </Box>
  );
}

interface EditPetProps {
  pet: Pet;
  changes: Changes;
  onSaved: () => void;
}

/** Text that was left without being saved is shown, but Enter saves it only after somebody has asked for it. */
function EditPet({ pet, changes, onSaved }: EditPetProps) {
  const { actions, notes, categories } = changes;
  const name = `pet-${pet.id}`;
  const [left, setLeft] = useState(() => {
    const kept = readUnsaved(name) as Typed | undefined;
    return kept?.isLeft ? kept : undefined;
  });
  const use = (typed: Typed) => {
    keepUnsaved(name, { ...typed, isLeft: false });
    setLeft(undefined);
  };
  const leave = () => {
    const typed = readUnsaved(name) as Typed | undefined;
    const text = typed && !typed.isLeft ? tellTyped(typed, categories.names) : '';
    if (text === '') return;
    keepUnsaved(name, { ...typed, isLeft: true });
    notes.tell(pet, ` ${actions.fateOf(pet)}; your text: ${text}.`);
  };
  const latest = useRef(leave);
  latest.current = leave;
  useEffect(() => () => latest.current(), []);
  const save = async (typed: Typed) => {
    const seen = petOf(pet.id, typed.base);
    const { fields } = readChanges(seen, typed.draft);
    const isChanged = Object.keys(fields).length > 0;
    const error = isChanged ? await actions.save(seen, fields) : undefined;
    if (error === undefined) onSaved();
    return error;
  };
  return (
    <>
      {left && (
        <p class="help">
          Not saved: {tellTyped(left, categories.names)}.{' '}
          <button type="button" class="link" onClick={() => use(left)}>
            Use this text
          </button>
        </p>
      )}
      <PetForm
        key={left ? 'anew' : 'kept'}
        prefix="edit"
        name={name}
        label={`Edit ${shortNameOf(pet)}`}
        start={draftOf(pet)}
        categories={categories}
        action="Save"
        check={(typed) => readChanges(petOf(pet.id, typed.base), typed.draft).errors}
        save={save}
      />
    </>
  );
}

/** The latest orders of one pet. */
function PetOrders({ client, pet }: { client: PetstoreClient; pet: Pet }) {
  const [orders, setOrders] = useState<readonly Order[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    client
      .listOrders({ petId: pet.id, sort: 'newest', limit: 5, signal: stop.signal })
      .then((page) => setOrders(page.orders))
      // The list already says that the service is away.
      .catch(() => {});
    return () => stop.abort();
  }, [client, pet.id, pet.status]);
  if (orders.length === 0) return null;
  return (
    <div class="pet-orders help">
      {orders.map((order) => (
        <p key={order.id.toString()}>{tellOrder(order)}</p>
      ))}
    </div>
  );
}

function tellOrder({ status, createdAt, createdBy, returnedAt, returnedBy }: Order): string {
  const whoAndWhen = (by: string | undefined, at: Date) =>
    `${by === undefined ? '' : `by ${by}, `}${at.toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' })}`;
  const returned = returnedAt ? `; returned ${whoAndWhen(returnedBy, returnedAt)}` : '';
  return `${labelOf(status)} ${whoAndWhen(createdBy, createdAt)}${returned}`;
}
