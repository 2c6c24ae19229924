/**
 * What every sight does in every place where a dog looks (D-3 to D-9, law 1): one table per kind of dance, every cell written.
 * A cell is the state afterwards and the verdict that the dance has then; `same` = nothing changed and nothing was ordered.
 */
import { describe } from 'vitest';
import { danceAt } from './lone.ts';
import { decides } from './places.ts';

describe('a hearing', () => {
  decides(
    danceAt({}),
    `
                   | unasked    | listening  | evaluating 1/3 | evaluating 3/3 | after the intent | after the rescue | after TERM | after a restart in mid-kill | suspended | confirming
answered           | pardoned   | pardoned   | pardoned       | pardoned       | pardoned         | pardoned         | sparing    | sparing                     | looking   | pardoned
evidence           | pardoned   | pardoned   | pardoned       | pardoned       | pardoned         | pardoned         | killing    | sparing                     | looking   | pardoned
inconclusive       | asking     | listening  | asking         | escalated      | escalated        | escalated        | killing    | escalated                   | looking   | listening
limited            | pardoned   | pardoned   | pardoned       | pardoned       | pardoned         | pardoned         | killing    | sparing                     | looking   | pardoned
error              | pardoned   | pardoned   | pardoned       | pardoned       | pardoned         | pardoned         | killing    | sparing                     | looking   | pardoned
silent             | asking     | listening  | asking         | listing        | rescuing         | terminating      | killing    | rescuing                    | looking   | listening
dialog             | pardoned   | pardoned   | pardoned       | pardoned       | pardoned         | pardoned         | killing    | sparing                     | looking   | pardoned
person             | suspended  | suspended  | suspended      | suspended      | suspended        | suspended        | suspended  | suspended                   | suspended | suspended
gone, pane left    | confirming | confirming | confirming     | confirming     | confirming       | confirming       | killing    | killing                     | looking   | rescuing
gone with its pane | confirming | confirming | confirming     | confirming     | confirming       | confirming       | killing    | killing                     | looking   | complete already_dead
replaced           | complete void | complete void | complete void | complete void | complete void | complete void    | killing    | killing                     | looking   | complete void
paneless           | confirming | confirming | confirming     | confirming     | confirming       | confirming       | killing    | confirming                  | looking   | confirming
unknown            | same       | same       | same           | same           | same             | same             | same       | same                        | same      | same
not understood     | same       | same       | same           | same           | same             | same             | killing    | same                        | same      | same
stopped            | same       | same       | same           | same           | same             | same             | killing    | same                        | looking   | same
place lost         | same       | same       | same           | same           | same             | same             | same       | same                        | same      | same
`,
  );
});

describe('a hearing after two pardons on signs of life alone', () => {
  decides(
    danceAt({ escalate: true }),
    `
                   | unasked    | listening  | evaluating 1/3 | evaluating 3/3 | after the intent | after the rescue | after TERM | after a restart in mid-kill | suspended | confirming
answered           | pardoned   | pardoned   | pardoned       | pardoned       | pardoned         | pardoned         | sparing    | sparing                     | looking   | pardoned
evidence           | escalated  | escalated  | escalated      | escalated      | escalated        | escalated        | killing    | escalated                   | looking   | escalated
inconclusive       | asking     | listening  | asking         | escalated      | escalated        | escalated        | killing    | escalated                   | looking   | listening
limited            | pardoned   | pardoned   | pardoned       | pardoned       | pardoned         | pardoned         | killing    | sparing                     | looking   | pardoned
error              | pardoned   | pardoned   | pardoned       | pardoned       | pardoned         | pardoned         | killing    | sparing                     | looking   | pardoned
silent             | asking     | listening  | asking         | escalated      | rescuing         | terminating      | killing    | rescuing                    | looking   | listening
dialog             | pardoned   | pardoned   | pardoned       | pardoned       | pardoned         | pardoned         | killing    | sparing                     | looking   | pardoned
person             | suspended  | suspended  | suspended      | suspended      | suspended        | suspended        | suspended  | suspended                   | suspended | suspended
gone, pane left    | confirming | confirming | confirming     | confirming     | confirming       | confirming       | killing    | killing                     | looking   | rescuing
gone with its pane | confirming | confirming | confirming     | confirming     | confirming       | confirming       | killing    | killing                     | looking   | complete already_dead
replaced           | complete void | complete void | complete void | complete void | complete void | complete void    | killing    | killing                     | looking   | complete void
paneless           | confirming | confirming | confirming     | confirming     | confirming       | confirming       | killing    | confirming                  | looking   | confirming
unknown            | same       | same       | same           | same           | same             | same             | same       | same                        | same      | same
not understood     | same       | same       | same           | same           | same             | same             | killing    | same                        | same      | same
stopped            | same       | same       | same           | same           | same             | same             | killing    | same                        | looking   | same
place lost         | same       | same       | same           | same           | same             | same             | same       | same                        | same      | same
`,
  );
});

describe('a hearing in which only an answer pardons', () => {
  decides(
    danceAt({}),
    `
                   | unasked    | listening  | evaluating 1/3 | evaluating 3/3 | after the intent | after the rescue | after TERM | after a restart in mid-kill | suspended | confirming
answered           | pardoned   | pardoned   | pardoned       | pardoned       | pardoned         | pardoned         | sparing    | sparing                     | looking   | pardoned
evidence           | asking     | listening  | asking         | escalated      | escalated        | escalated        | killing    | escalated                   | looking   | listening
inconclusive       | asking     | listening  | asking         | escalated      | escalated        | escalated        | killing    | escalated                   | looking   | listening
limited            | pardoned   | pardoned   | pardoned       | pardoned       | pardoned         | pardoned         | killing    | sparing                     | looking   | pardoned
silent             | asking     | listening  | asking         | listing        | rescuing         | terminating      | killing    | rescuing                    | looking   | listening
`,
    { pardonOn: 'answer' },
  );
});

describe("an adopted target: its pane is a person's shell", () => {
  const base = danceAt({});
  decides(
    { ...base, target: { ...base.target, origin: 'adopted' } },
    `
                   | listening     | confirming
gone, pane left    | confirming    | complete already_dead
gone with its pane | confirming    | complete already_dead
replaced           | complete void | complete void
paneless           | confirming    | confirming
`,
  );
});

describe('a forced execution is swayed by nothing but the end of its target', () => {
  decides(
    danceAt({}, true),
    `
                   | after the intent | after the rescue | after a restart in mid-kill | confirming
answered           | rescuing         | terminating      | rescuing                    | listing
evidence           | rescuing         | terminating      | rescuing                    | listing
inconclusive       | rescuing         | terminating      | rescuing                    | listing
limited            | rescuing         | terminating      | rescuing                    | listing
error              | rescuing         | terminating      | rescuing                    | listing
silent             | rescuing         | terminating      | rescuing                    | listing
dialog             | rescuing         | terminating      | rescuing                    | listing
person             | rescuing         | terminating      | rescuing                    | listing
gone, pane left    | confirming       | confirming       | killing                     | rescuing
gone with its pane | confirming       | confirming       | killing                     | complete already_dead
replaced           | complete void    | complete void    | killing                     | complete void
paneless           | rescuing         | terminating      | rescuing                    | listing
unknown            | same             | same             | same                        | same
not understood     | rescuing         | terminating      | rescuing                    | listing
stopped            | rescuing         | terminating      | rescuing                    | listing
place lost         | rescuing         | terminating      | rescuing                    | listing
`,
  );
});
