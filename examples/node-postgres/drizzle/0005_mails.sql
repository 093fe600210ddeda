CREATE TABLE "mails" (
	"key" text PRIMARY KEY NOT NULL,
	"entity_id" uuid NOT NULL,
	"subject" text NOT NULL,
	"sent_at" timestamp
);
