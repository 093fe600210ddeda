/**
 * Every route of Stripe's API with the names of its parameters. Generated from the types of
 * stripe 23.1.0 and stripe 22.6.2 by scripts/generate-stripe-parameters.ts. Do not edit.
 */

/** A line for each route: its method, its path, and the number of its group, to the base 36. */
export const ROUTES = `
DELETE /v1/accounts/:id 0
DELETE /v1/accounts/:id/external_accounts/:id 0
DELETE /v1/accounts/:id/persons/:id 0
DELETE /v1/apple_pay/domains/:id 0
DELETE /v1/coupons/:id 0
DELETE /v1/customers/:id 0
DELETE /v1/customers/:id/discount 0
DELETE /v1/customers/:id/sources/:id 1
DELETE /v1/customers/:id/tax_ids/:id 0
DELETE /v1/ephemeral_keys/:id 1
DELETE /v1/invoiceitems/:id 0
DELETE /v1/invoices/:id 0
DELETE /v1/plans/:id 0
DELETE /v1/products/:id 0
DELETE /v1/products/:id/features/:id 0
DELETE /v1/radar/value_list_items/:id 0
DELETE /v1/radar/value_lists/:id 0
DELETE /v1/subscription_items/:id 2
DELETE /v1/subscriptions/:id 4
DELETE /v1/subscriptions/:id/discount 0
DELETE /v1/tax_ids/:id 0
DELETE /v1/terminal/configurations/:id 0
DELETE /v1/terminal/locations/:id 0
DELETE /v1/terminal/readers/:id 0
DELETE /v1/test_helpers/test_clocks/:id 0
DELETE /v1/webhook_endpoints/:id 0
DELETE /v2/core/accounts/:id/persons/:id 0
DELETE /v2/core/event_destinations/:id 0
GET /v1/account 1
GET /v1/accounts 6
GET /v1/accounts/:id 1
GET /v1/accounts/:id/capabilities 1
GET /v1/accounts/:id/capabilities/:id 1
GET /v1/accounts/:id/external_accounts 7
GET /v1/accounts/:id/external_accounts/:id 1
GET /v1/accounts/:id/persons 9
GET /v1/accounts/:id/persons/:id 1
GET /v1/apple_pay/domains a
GET /v1/apple_pay/domains/:id 1
GET /v1/application_fees b
GET /v1/application_fees/:id 1
GET /v1/application_fees/:id/refunds c
GET /v1/application_fees/:id/refunds/:id 1
GET /v1/apps/installs d
GET /v1/apps/installs/:id 1
GET /v1/apps/secrets f
GET /v1/apps/secrets/find g
GET /v1/balance 1
GET /v1/balance_settings 1
GET /v1/balance_transactions h
GET /v1/balance_transactions/:id 1
GET /v1/billing/alerts i
GET /v1/billing/alerts/:id 1
GET /v1/billing/credit_balance_summary m
GET /v1/billing/credit_balance_transactions n
GET /v1/billing/credit_balance_transactions/:id 1
GET /v1/billing/credit_grants o
GET /v1/billing/credit_grants/:id 1
GET /v1/billing/feedback_options p
GET /v1/billing/feedback_options/:id 1
GET /v1/billing/meters p
GET /v1/billing/meters/:id 1
GET /v1/billing/meters/:id/event_summaries q
GET /v1/billing_portal/configurations r
GET /v1/billing_portal/configurations/:id 1
GET /v1/charges s
GET /v1/charges/:id 1
GET /v1/charges/search t
GET /v1/checkout/sessions v
GET /v1/checkout/sessions/:id 1
GET /v1/checkout/sessions/:id/line_items c
GET /v1/climate/orders c
GET /v1/climate/orders/:id 1
GET /v1/climate/products c
GET /v1/climate/products/:id 1
GET /v1/climate/suppliers c
GET /v1/climate/suppliers/:id 1
GET /v1/confirmation_tokens/:id 1
GET /v1/country_specs c
GET /v1/country_specs/:id 1
GET /v1/coupons 6
GET /v1/coupons/:id 1
GET /v1/credit_notes w
GET /v1/credit_notes/:id 1
GET /v1/credit_notes/:id/lines c
GET /v1/credit_notes/preview 13
GET /v1/credit_notes/preview/lines 14
GET /v1/customers 15
GET /v1/customers/:id 1
GET /v1/customers/:id/balance_transactions 16
GET /v1/customers/:id/balance_transactions/:id 1
GET /v1/customers/:id/cash_balance 1
GET /v1/customers/:id/cash_balance_transactions c
GET /v1/customers/:id/cash_balance_transactions/:id 1
GET /v1/customers/:id/payment_methods 17
GET /v1/customers/:id/payment_methods/:id 1
GET /v1/customers/:id/sources 7
GET /v1/customers/:id/sources/:id 1
GET /v1/customers/:id/tax_ids c
GET /v1/customers/:id/tax_ids/:id 1
GET /v1/customers/search t
GET /v1/disputes 18
GET /v1/disputes/:id 1
GET /v1/entitlements/active_entitlements 19
GET /v1/entitlements/active_entitlements/:id 1
GET /v1/entitlements/features 1a
GET /v1/entitlements/features/:id 1
GET /v1/events 1b
GET /v1/events/:id 1
GET /v1/exchange_rates c
GET /v1/exchange_rates/:id 1
GET /v1/file_links 1c
GET /v1/file_links/:id 1
GET /v1/files 1d
GET /v1/files/:id 1
GET /v1/financial_connections/accounts 1f
GET /v1/financial_connections/accounts/:id 1
GET /v1/financial_connections/accounts/:id/owners 1g
GET /v1/financial_connections/sessions/:id 1
GET /v1/financial_connections/transactions 1i
GET /v1/financial_connections/transactions/:id 1
GET /v1/forwarding/requests 6
GET /v1/forwarding/requests/:id 1
GET /v1/identity/verification_reports 1j
GET /v1/identity/verification_reports/:id 1
GET /v1/identity/verification_sessions 1k
GET /v1/identity/verification_sessions/:id 1
GET /v1/invoice_payments 1m
GET /v1/invoice_payments/:id 1
GET /v1/invoice_rendering_templates p
GET /v1/invoice_rendering_templates/:id 1n
GET /v1/invoiceitems 1o
GET /v1/invoiceitems/:id 1
GET /v1/invoices 1p
GET /v1/invoices/:id 1
GET /v1/invoices/:id/lines c
GET /v1/invoices/search t
GET /v1/issuing/authorizations 1q
GET /v1/issuing/authorizations/:id 1
GET /v1/issuing/cardholders 1r
GET /v1/issuing/cardholders/:id 1
GET /v1/issuing/cards 1s
GET /v1/issuing/cards/:id 1
GET /v1/issuing/disputes 1t
GET /v1/issuing/disputes/:id 1
GET /v1/issuing/personalization_designs 1v
GET /v1/issuing/personalization_designs/:id 1
GET /v1/issuing/physical_bundles 1w
GET /v1/issuing/physical_bundles/:id 1
GET /v1/issuing/tokens 1x
GET /v1/issuing/tokens/:id 1
GET /v1/issuing/transactions 1y
GET /v1/issuing/transactions/:id 1
GET /v1/mandates/:id 1
GET /v1/payment_attempt_records 1z
GET /v1/payment_attempt_records/:id 1
GET /v1/payment_intents 20
GET /v1/payment_intents/:id 21
GET /v1/payment_intents/:id/amount_details_line_items c
GET /v1/payment_intents/search t
GET /v1/payment_links 22
GET /v1/payment_links/:id 1
GET /v1/payment_links/:id/line_items c
GET /v1/payment_method_configurations 23
GET /v1/payment_method_configurations/:id 1
GET /v1/payment_method_domains 24
GET /v1/payment_method_domains/:id 1
GET /v1/payment_methods 25
GET /v1/payment_methods/:id 1
GET /v1/payment_records 26
GET /v1/payment_records/:id 1
GET /v1/payouts 27
GET /v1/payouts/:id 1
GET /v1/plans 28
GET /v1/plans/:id 1
GET /v1/prices 2a
GET /v1/prices/:id 1
GET /v1/prices/search t
GET /v1/product_catalog/trial_offers 2b
GET /v1/product_catalog/trial_offers/:id 1
GET /v1/products 2c
GET /v1/products/:id 1
GET /v1/products/:id/features c
GET /v1/products/:id/features/:id 1
GET /v1/products/search t
GET /v1/promotion_codes 2d
GET /v1/promotion_codes/:id 1
GET /v1/quotes 2e
GET /v1/quotes/:id 1
GET /v1/quotes/:id/computed_upfront_line_items c
GET /v1/quotes/:id/line_items c
GET /v1/quotes/:id/pdf 1
GET /v1/radar/early_fraud_warnings 18
GET /v1/radar/early_fraud_warnings/:id 1
GET /v1/radar/value_list_items 2f
GET /v1/radar/value_list_items/:id 1
GET /v1/radar/value_lists 2g
GET /v1/radar/value_lists/:id 1
GET /v1/refunds 18
GET /v1/refunds/:id 1
GET /v1/reporting/report_runs 6
GET /v1/reporting/report_runs/:id 1
GET /v1/reporting/report_types 1
GET /v1/reporting/report_types/:id 1
GET /v1/reviews 6
GET /v1/reviews/:id 1
GET /v1/setup_attempts 2h
GET /v1/setup_intents 2i
GET /v1/setup_intents/:id 21
GET /v1/shipping_rates 2j
GET /v1/shipping_rates/:id 1
GET /v1/sigma/scheduled_query_runs c
GET /v1/sigma/scheduled_query_runs/:id 1
GET /v1/sources/:id 21
GET /v1/sources/:id/source_transactions c
GET /v1/subscription_items 2k
GET /v1/subscription_items/:id 1
GET /v1/subscription_schedules 2l
GET /v1/subscription_schedules/:id 1
GET /v1/subscriptions 2n
GET /v1/subscriptions/:id 1
GET /v1/subscriptions/search t
GET /v1/tax/associations/find 2o
GET /v1/tax/calculations/:id 1
GET /v1/tax/calculations/:id/line_items c
GET /v1/tax/locations 2p
GET /v1/tax/locations/:id 1
GET /v1/tax/registrations p
GET /v1/tax/registrations/:id 1
GET /v1/tax/settings 1
GET /v1/tax/transactions/:id 1
GET /v1/tax/transactions/:id/line_items c
GET /v1/tax_codes c
GET /v1/tax_codes/:id 1
GET /v1/tax_ids 2r
GET /v1/tax_ids/:id 1
GET /v1/tax_rates 2s
GET /v1/tax_rates/:id 1
GET /v1/terminal/configurations 2t
GET /v1/terminal/configurations/:id 1
GET /v1/terminal/locations c
GET /v1/terminal/locations/:id 1
GET /v1/terminal/readers 2u
GET /v1/terminal/readers/:id 1
GET /v1/test_helpers/test_clocks c
GET /v1/test_helpers/test_clocks/:id 1
GET /v1/three_d_secure/authentications 2v
GET /v1/three_d_secure/authentications/:id 1
GET /v1/tokens/:id 1
GET /v1/topups 2w
GET /v1/topups/:id 1
GET /v1/transfers 2x
GET /v1/transfers/:id 1
GET /v1/transfers/:id/reversals c
GET /v1/transfers/:id/reversals/:id 1
GET /v1/treasury/credit_reversals 2y
GET /v1/treasury/credit_reversals/:id 1
GET /v1/treasury/debit_reversals 2z
GET /v1/treasury/debit_reversals/:id 1
GET /v1/treasury/financial_accounts 2v
GET /v1/treasury/financial_accounts/:id 1
GET /v1/treasury/financial_accounts/:id/features 1
GET /v1/treasury/inbound_transfers 30
GET /v1/treasury/inbound_transfers/:id 1
GET /v1/treasury/outbound_payments 31
GET /v1/treasury/outbound_payments/:id 1
GET /v1/treasury/outbound_transfers 30
GET /v1/treasury/outbound_transfers/:id 1
GET /v1/treasury/received_credits 33
GET /v1/treasury/received_credits/:id 1
GET /v1/treasury/received_debits 30
GET /v1/treasury/received_debits/:id 1
GET /v1/treasury/transaction_entries 34
GET /v1/treasury/transaction_entries/:id 1
GET /v1/treasury/transactions 36
GET /v1/treasury/transactions/:id 1
GET /v1/webhook_endpoints c
GET /v1/webhook_endpoints/:id 1
GET /v2/commerce/product_catalog/imports 0
GET /v2/commerce/product_catalog/imports/:id 0
GET /v2/core/account_tokens/:id 0
GET /v2/core/accounts 0
GET /v2/core/accounts/:id 0
GET /v2/core/accounts/:id/person_tokens/:id 0
GET /v2/core/accounts/:id/persons 0
GET /v2/core/accounts/:id/persons/:id 0
GET /v2/core/event_destinations 0
GET /v2/core/event_destinations/:id 0
GET /v2/core/events 0
GET /v2/core/events/:id 0
GET /v2/core/vault/gb_bank_accounts 0
GET /v2/core/vault/gb_bank_accounts/:id 0
GET /v2/core/vault/us_bank_accounts 0
GET /v2/core/vault/us_bank_accounts/:id 0
GET /v2/money_management/adjustments 0
GET /v2/money_management/adjustments/:id 0
GET /v2/money_management/financial_accounts 0
GET /v2/money_management/financial_accounts/:id 0
GET /v2/money_management/financial_addresses 0
GET /v2/money_management/financial_addresses/:id 0
GET /v2/money_management/inbound_transfers 0
GET /v2/money_management/inbound_transfers/:id 0
GET /v2/money_management/outbound_payments 0
GET /v2/money_management/outbound_payments/:id 0
GET /v2/money_management/outbound_setup_intents 0
GET /v2/money_management/outbound_setup_intents/:id 0
GET /v2/money_management/payout_intents 0
GET /v2/money_management/payout_intents/:id 0
GET /v2/money_management/payout_methods 0
GET /v2/money_management/payout_methods/:id 0
GET /v2/money_management/payout_methods_bank_account_spec 0
GET /v2/money_management/received_credits 0
GET /v2/money_management/received_credits/:id 0
GET /v2/money_management/recipient_verifications/:id 0
GET /v2/money_management/transaction_entries 0
GET /v2/money_management/transaction_entries/:id 0
GET /v2/money_management/transactions 0
GET /v2/money_management/transactions/:id 0
POST /oauth/deauthorize 0
POST /oauth/token 0
POST /v1/account_links 38
POST /v1/account_sessions 3v
POST /v1/accounts 51
POST /v1/accounts/:id 56
POST /v1/accounts/:id/capabilities/:id 57
POST /v1/accounts/:id/external_accounts 59
POST /v1/accounts/:id/external_accounts/:id 5b
POST /v1/accounts/:id/login_links 1
POST /v1/accounts/:id/persons 5i
POST /v1/accounts/:id/persons/:id 5i
POST /v1/accounts/:id/reject 5j
POST /v1/accounts/:id/unreject 1
POST /v1/apple_pay/domains 5k
POST /v1/application_fees/:id/refunds 5l
POST /v1/application_fees/:id/refunds/:id 5m
POST /v1/apps/installs 5n
POST /v1/apps/installs/:id 1
POST /v1/apps/installs/:id/uninstall 1
POST /v1/apps/secrets 5o
POST /v1/apps/secrets/delete g
POST /v1/balance_settings 5x
POST /v1/billing/alerts 60
POST /v1/billing/alerts/:id/activate 1
POST /v1/billing/alerts/:id/archive 1
POST /v1/billing/alerts/:id/deactivate 1
POST /v1/billing/credit_grants 64
POST /v1/billing/credit_grants/:id 65
POST /v1/billing/credit_grants/:id/expire 1
POST /v1/billing/credit_grants/:id/void 1
POST /v1/billing/feedback_options 66
POST /v1/billing/feedback_options/:id 66
POST /v1/billing/feedback_options/:id/deactivate 1
POST /v1/billing/meter_event_adjustments 68
POST /v1/billing/meter_events 69
POST /v1/billing/meters 6d
POST /v1/billing/meters/:id 6e
POST /v1/billing/meters/:id/deactivate 1
POST /v1/billing/meters/:id/reactivate 1
POST /v1/billing_portal/configurations 6s
POST /v1/billing_portal/configurations/:id 6t
POST /v1/billing_portal/sessions 77
POST /v1/charges 7c
POST /v1/charges/:id 7e
POST /v1/charges/:id/capture 7g
POST /v1/checkout/sessions 9s
POST /v1/checkout/sessions/:id 9x
POST /v1/checkout/sessions/:id/expire 1
POST /v1/climate/orders 9z
POST /v1/climate/orders/:id a0
POST /v1/climate/orders/:id/cancel 1
POST /v1/coupons a4
POST /v1/coupons/:id a5
POST /v1/credit_notes 13
POST /v1/credit_notes/:id a6
POST /v1/credit_notes/:id/void 1
POST /v1/customer_sessions ae
POST /v1/customers al
POST /v1/customers/:id am
POST /v1/customers/:id/balance_transactions an
POST /v1/customers/:id/balance_transactions/:id ao
POST /v1/customers/:id/cash_balance ap
POST /v1/customers/:id/funding_instructions aq
POST /v1/customers/:id/sources ar
POST /v1/customers/:id/sources/:id at
POST /v1/customers/:id/sources/:id/verify au
POST /v1/customers/:id/tax_ids av
POST /v1/disputes/:id b4
POST /v1/disputes/:id/close 1
POST /v1/entitlements/features b5
POST /v1/entitlements/features/:id b6
POST /v1/ephemeral_keys b7
POST /v1/file_links b8
POST /v1/file_links/:id 65
POST /v1/files bc
POST /v1/financial_connections/accounts/:id/disconnect 1
POST /v1/financial_connections/accounts/:id/refresh bd
POST /v1/financial_connections/accounts/:id/subscribe bd
POST /v1/financial_connections/accounts/:id/unsubscribe bd
POST /v1/financial_connections/sessions bh
POST /v1/forwarding/requests bj
POST /v1/identity/verification_sessions bo
POST /v1/identity/verification_sessions/:id bp
POST /v1/identity/verification_sessions/:id/cancel 1
POST /v1/identity/verification_sessions/:id/redact 1
POST /v1/invoice_rendering_templates/:id/archive 1
POST /v1/invoice_rendering_templates/:id/unarchive 1
POST /v1/invoiceitems bu
POST /v1/invoiceitems/:id bv
POST /v1/invoices ci
POST /v1/invoices/:id cj
POST /v1/invoices/:id/add_lines co
POST /v1/invoices/:id/attach_payment cp
POST /v1/invoices/:id/finalize cq
POST /v1/invoices/:id/lines/:id cr
POST /v1/invoices/:id/mark_uncollectible 1
POST /v1/invoices/:id/pay cs
POST /v1/invoices/:id/remove_lines cu
POST /v1/invoices/:id/send 1
POST /v1/invoices/:id/update_lines cw
POST /v1/invoices/:id/void 1
POST /v1/invoices/create_preview dm
POST /v1/issuing/authorizations/:id 5m
POST /v1/issuing/authorizations/:id/approve 5l
POST /v1/issuing/authorizations/:id/decline 5m
POST /v1/issuing/cardholders dt
POST /v1/issuing/cardholders/:id du
POST /v1/issuing/cards e1
POST /v1/issuing/cards/:id e2
POST /v1/issuing/disputes ec
POST /v1/issuing/disputes/:id ed
POST /v1/issuing/disputes/:id/submit 5m
POST /v1/issuing/personalization_designs eg
POST /v1/issuing/personalization_designs/:id eg
POST /v1/issuing/tokens/:id eh
POST /v1/issuing/transactions/:id 5m
POST /v1/payment_intents g5
POST /v1/payment_intents/:id g7
POST /v1/payment_intents/:id/apply_customer_balance g8
POST /v1/payment_intents/:id/cancel g9
POST /v1/payment_intents/:id/capture ga
POST /v1/payment_intents/:id/confirm gb
POST /v1/payment_intents/:id/increment_authorization gc
POST /v1/payment_intents/:id/verify_microdeposits gd
POST /v1/payment_links go
POST /v1/payment_links/:id gs
POST /v1/payment_method_configurations gv
POST /v1/payment_method_configurations/:id gw
POST /v1/payment_method_domains gx
POST /v1/payment_method_domains/:id gy
POST /v1/payment_method_domains/:id/validate 1
POST /v1/payment_methods h1
POST /v1/payment_methods/:id h4
POST /v1/payment_methods/:id/attach h5
POST /v1/payment_methods/:id/detach 1
POST /v1/payment_records/:id/report_payment_attempt hb
POST /v1/payment_records/:id/report_payment_attempt_canceled hc
POST /v1/payment_records/:id/report_payment_attempt_failed hd
POST /v1/payment_records/:id/report_payment_attempt_guaranteed he
POST /v1/payment_records/:id/report_payment_attempt_informational hg
POST /v1/payment_records/:id/report_refund hk
POST /v1/payment_records/report_payment hn
POST /v1/payouts ho
POST /v1/payouts/:id 5m
POST /v1/payouts/:id/cancel 1
POST /v1/payouts/:id/reverse 5m
POST /v1/plans hs
POST /v1/plans/:id ht
POST /v1/prices hy
POST /v1/prices/:id hz
POST /v1/product_catalog/trial_offers i3
POST /v1/product_catalog/trial_offers/:id i4
POST /v1/products i8
POST /v1/products/:id i9
POST /v1/products/:id/features ia
POST /v1/promotion_codes if
POST /v1/promotion_codes/:id ih
POST /v1/quotes in
POST /v1/quotes/:id iq
POST /v1/quotes/:id/accept 1
POST /v1/quotes/:id/cancel 1
POST /v1/quotes/:id/finalize ir
POST /v1/radar/payment_evaluations iy
POST /v1/radar/value_list_items iz
POST /v1/radar/value_lists j0
POST /v1/radar/value_lists/:id j1
POST /v1/refunds j2
POST /v1/refunds/:id 5m
POST /v1/refunds/:id/cancel 1
POST /v1/reporting/report_runs j4
POST /v1/reviews/:id/approve 1
POST /v1/setup_intents ji
POST /v1/setup_intents/:id jj
POST /v1/setup_intents/:id/cancel g9
POST /v1/setup_intents/:id/confirm jk
POST /v1/setup_intents/:id/verify_microdeposits gd
POST /v1/shipping_rates jl
POST /v1/shipping_rates/:id jn
POST /v1/sources ju
POST /v1/sources/:id jv
POST /v1/sources/:id/verify jw
POST /v1/subscription_items jx
POST /v1/subscription_items/:id jy
POST /v1/subscription_schedules k2
POST /v1/subscription_schedules/:id k4
POST /v1/subscription_schedules/:id/cancel k5
POST /v1/subscription_schedules/:id/release k6
POST /v1/subscriptions ki
POST /v1/subscriptions/:id kk
POST /v1/subscriptions/:id/migrate kl
POST /v1/subscriptions/:id/pause km
POST /v1/subscriptions/:id/resume kn
POST /v1/tax/calculations kr
POST /v1/tax/locations ks
POST /v1/tax/registrations l3
POST /v1/tax/registrations/:id l4
POST /v1/tax/settings l6
POST /v1/tax/transactions/create_from_calculation l7
POST /v1/tax/transactions/create_reversal la
POST /v1/tax_ids lb
POST /v1/tax_rates lc
POST /v1/tax_rates/:id ld
POST /v1/terminal/configurations ln
POST /v1/terminal/configurations/:id ln
POST /v1/terminal/connection_tokens lo
POST /v1/terminal/locations lp
POST /v1/terminal/locations/:id lp
POST /v1/terminal/onboarding_links ls
POST /v1/terminal/readers lt
POST /v1/terminal/readers/:id lu
POST /v1/terminal/readers/:id/cancel_action 1
POST /v1/terminal/readers/:id/collect_inputs m0
POST /v1/terminal/readers/:id/collect_payment_method m3
POST /v1/terminal/readers/:id/confirm_payment_intent m4
POST /v1/terminal/readers/:id/process_payment_intent m6
POST /v1/terminal/readers/:id/process_setup_intent m8
POST /v1/terminal/readers/:id/refund_payment m9
POST /v1/terminal/readers/:id/set_reader_display mc
POST /v1/test_helpers/confirmation_tokens mg
POST /v1/test_helpers/customers/:id/fund_cash_balance mh
POST /v1/test_helpers/issuing/authorizations my
POST /v1/test_helpers/issuing/authorizations/:id/capture n4
POST /v1/test_helpers/issuing/authorizations/:id/expire 1
POST /v1/test_helpers/issuing/authorizations/:id/finalize_amount n5
POST /v1/test_helpers/issuing/authorizations/:id/fraud_challenges/respond n6
POST /v1/test_helpers/issuing/authorizations/:id/increment n7
POST /v1/test_helpers/issuing/authorizations/:id/reverse n8
POST /v1/test_helpers/issuing/cards/:id/shipping/deliver 1
POST /v1/test_helpers/issuing/cards/:id/shipping/fail 1
POST /v1/test_helpers/issuing/cards/:id/shipping/return 1
POST /v1/test_helpers/issuing/cards/:id/shipping/ship 1
POST /v1/test_helpers/issuing/cards/:id/shipping/submit 1
POST /v1/test_helpers/issuing/personalization_designs/:id/activate 1
POST /v1/test_helpers/issuing/personalization_designs/:id/deactivate 1
POST /v1/test_helpers/issuing/personalization_designs/:id/reject na
POST /v1/test_helpers/issuing/transactions/:id/refund nb
POST /v1/test_helpers/issuing/transactions/create_force_capture nc
POST /v1/test_helpers/issuing/transactions/create_unlinked_refund nc
POST /v1/test_helpers/refunds/:id/expire 1
POST /v1/test_helpers/terminal/readers/:id/present_payment_method nf
POST /v1/test_helpers/terminal/readers/:id/succeed_input_collection ng
POST /v1/test_helpers/terminal/readers/:id/timeout_input_collection 1
POST /v1/test_helpers/test_clocks nh
POST /v1/test_helpers/test_clocks/:id/advance ni
POST /v1/test_helpers/treasury/inbound_transfers/:id/fail nk
POST /v1/test_helpers/treasury/inbound_transfers/:id/return 1
POST /v1/test_helpers/treasury/inbound_transfers/:id/succeed 1
POST /v1/test_helpers/treasury/outbound_payments/:id no
POST /v1/test_helpers/treasury/outbound_payments/:id/fail 1
POST /v1/test_helpers/treasury/outbound_payments/:id/post 1
POST /v1/test_helpers/treasury/outbound_payments/:id/return np
POST /v1/test_helpers/treasury/outbound_transfers/:id no
POST /v1/test_helpers/treasury/outbound_transfers/:id/fail 1
POST /v1/test_helpers/treasury/outbound_transfers/:id/post 1
POST /v1/test_helpers/treasury/outbound_transfers/:id/return np
POST /v1/test_helpers/treasury/received_credits ns
POST /v1/test_helpers/treasury/received_debits ns
POST /v1/three_d_secure/authentications o4
POST /v1/three_d_secure/authentications/:id/cancel 5m
POST /v1/three_d_secure/authentications/:id/submit o5
POST /v1/tokens od
POST /v1/topups og
POST /v1/topups/:id ao
POST /v1/topups/:id/cancel 1
POST /v1/transfers oh
POST /v1/transfers/:id ao
POST /v1/transfers/:id/reversals oi
POST /v1/transfers/:id/reversals/:id 5m
POST /v1/treasury/credit_reversals oj
POST /v1/treasury/debit_reversals ok
POST /v1/treasury/financial_accounts oq
POST /v1/treasury/financial_accounts/:id os
POST /v1/treasury/financial_accounts/:id/close ot
POST /v1/treasury/financial_accounts/:id/features ou
POST /v1/treasury/inbound_transfers ov
POST /v1/treasury/inbound_transfers/:id/cancel 1
POST /v1/treasury/outbound_payments oy
POST /v1/treasury/outbound_payments/:id/cancel 1
POST /v1/treasury/outbound_transfers p0
POST /v1/treasury/outbound_transfers/:id/cancel 1
POST /v1/webhook_endpoints p1
POST /v1/webhook_endpoints/:id p2
POST /v2/billing/meter_event_adjustments 0
POST /v2/billing/meter_event_session 0
POST /v2/billing/meter_event_stream 0
POST /v2/billing/meter_events 0
POST /v2/commerce/product_catalog/imports 0
POST /v2/core/account_links 0
POST /v2/core/account_tokens 0
POST /v2/core/accounts 0
POST /v2/core/accounts/:id 0
POST /v2/core/accounts/:id/close 0
POST /v2/core/accounts/:id/person_tokens 0
POST /v2/core/accounts/:id/persons 0
POST /v2/core/accounts/:id/persons/:id 0
POST /v2/core/event_destinations 0
POST /v2/core/event_destinations/:id 0
POST /v2/core/event_destinations/:id/disable 0
POST /v2/core/event_destinations/:id/enable 0
POST /v2/core/event_destinations/:id/ping 0
POST /v2/core/vault/gb_bank_accounts 0
POST /v2/core/vault/gb_bank_accounts/:id/archive 0
POST /v2/core/vault/gb_bank_accounts/:id/unarchive 0
POST /v2/core/vault/us_bank_accounts 0
POST /v2/core/vault/us_bank_accounts/:id 0
POST /v2/core/vault/us_bank_accounts/:id/archive 0
POST /v2/core/vault/us_bank_accounts/:id/confirm_microdeposits 0
POST /v2/core/vault/us_bank_accounts/:id/send_microdeposits 0
POST /v2/core/vault/us_bank_accounts/:id/unarchive 0
POST /v2/money_management/financial_accounts/:id 0
POST /v2/money_management/financial_addresses 0
POST /v2/money_management/inbound_transfers 0
POST /v2/money_management/outbound_payments 0
POST /v2/money_management/outbound_payments/:id/cancel 0
POST /v2/money_management/outbound_setup_intents 0
POST /v2/money_management/outbound_setup_intents/:id 0
POST /v2/money_management/outbound_setup_intents/:id/cancel 0
POST /v2/money_management/payout_intents 0
POST /v2/money_management/payout_intents/:id 0
POST /v2/money_management/payout_intents/:id/cancel 0
POST /v2/money_management/payout_intents/:id/confirm 0
POST /v2/money_management/payout_intents/:id/refresh_fx_quote 0
POST /v2/money_management/payout_intents/:id/refresh_recipient_verification 0
POST /v2/money_management/payout_methods/:id/archive 0
POST /v2/money_management/payout_methods/:id/unarchive 0
POST /v2/money_management/recipient_verifications 0
POST /v2/money_management/recipient_verifications/:id/acknowledge 0
POST /v2/money_management/test_helpers/financial_addresses/:id/credit 0
POST /v2/money_management/transactions/:id 0
POST /v2/money_management/transactions/:id/refresh_regulatory_receipt 0
POST /v2/test_helpers/money_management/recipient_verifications 0`;

/**
 * A line for each group: names, each with the number of the group inside it. `#` marks a number,
 * `?` true or false, and `*` stands for any name.
 */
export const GROUPS = `

expand
clear_usage? payment_behavior proration_behavior proration_date#
comment feedback feedback_option
cancellation_details:3 expand invoice_now? prorate?
gt# gte# lt# lte#
created:5 ending_before expand limit# starting_after
ending_before expand limit# object starting_after
authorizer? director? executive? legal_guardian? owner? representative?
ending_before expand limit# relationship:8 starting_after
domain_name ending_before expand limit# starting_after
charge created:5 ending_before expand limit# starting_after
ending_before expand limit# starting_after
account app approval_required? channel created:5 created_by ending_before expand limit# starting_after status
type user
ending_before expand limit# scope:e starting_after
expand name scope:e
created:5 currency ending_before expand limit# payout source starting_after type
alert_type ending_before expand limit# meter starting_after
id
price_type prices:j
applicability_scope:k credit_grant type
customer customer_account expand filter:l
credit_grant customer customer_account ending_before expand limit# starting_after
customer customer_account ending_before expand limit# starting_after
ending_before expand limit# starting_after status
customer end_time# ending_before expand limit# start_time# starting_after value_grouping_window
active? ending_before expand is_default? limit# starting_after
created:5 customer ending_before expand limit# payment_intent starting_after transfer_group
expand limit# page query
email
created:5 customer customer_account customer_details:u ending_before expand limit# payment_intent payment_link starting_after status subscription
created:5 customer customer_account ending_before expand invoice limit# starting_after
*
amount# tax_rate taxable_amount#
amount# description invoice_line_item metadata:x quantity# tax_amounts:y tax_rates type unit_amount# unit_amount_decimal
payment_record refund_group
amount_refunded# payment_record_refund:10 refund type
shipping_rate
amount# credit_amount# effective_at# email_type expand invoice lines:z memo metadata:x out_of_band_amount# reason refund_amount# refunds:11 shipping_cost:12
amount# credit_amount# effective_at# email_type ending_before expand invoice limit# lines:z memo metadata:x out_of_band_amount# reason refund_amount# refunds:11 shipping_cost:12 starting_after
created:5 email ending_before expand limit# starting_after test_clock
created:5 ending_before expand invoice limit# starting_after
allow_redisplay ending_before expand limit# starting_after type
charge created:5 ending_before expand limit# payment_intent starting_after
customer ending_before expand limit# starting_after
archived? ending_before expand limit# lookup_key starting_after
created:5 delivery_success? ending_before expand limit# starting_after type types
created:5 ending_before expand expired? file limit# starting_after
created:5 ending_before expand limit# purpose starting_after
account customer customer_account
account_holder:1e ending_before expand limit# session starting_after
ending_before expand limit# ownership starting_after
after
account ending_before expand limit# starting_after transacted_at:5 transaction_refresh:1h
client_reference_id created:5 ending_before expand limit# starting_after type verification_session
client_reference_id created:5 ending_before expand limit# related_customer related_customer_account starting_after status
payment_intent payment_record type
created:5 ending_before expand invoice limit# payment:1l starting_after status
expand version#
created:5 customer customer_account ending_before expand invoice limit# pending? starting_after
collection_method created:5 customer customer_account due_date:5 ending_before expand limit# starting_after status subscription
card cardholder created:5 ending_before expand limit# starting_after status
created:5 email ending_before expand limit# phone_number starting_after status type
cardholder created:5 ending_before exp_month# exp_year# expand last4 limit# personalization_design starting_after status type
created:5 ending_before expand limit# starting_after status transaction
is_default? is_platform_default?
ending_before expand limit# lookup_keys preferences:1u starting_after status
ending_before expand limit# starting_after status type
card created:5 ending_before expand limit# starting_after status
card cardholder created:5 ending_before expand limit# starting_after type
expand limit# payment_record starting_after
created:5 customer customer_account ending_before expand limit# starting_after
client_secret expand
active? ending_before expand limit# starting_after
active? application ending_before expand limit# starting_after
domain_name enabled? ending_before expand limit# starting_after
allow_redisplay customer customer_account ending_before expand limit# starting_after type
created_after# created_before# ending_before expand limit# starting_after
arrival_date:5 created:5 destination ending_before expand limit# starting_after status
active? created:5 ending_before expand limit# product starting_after
interval meter usage_type
active? created:5 currency ending_before expand limit# lookup_keys product recurring:29 starting_after type
active? created:5 ending_before expand limit# prices starting_after
active? created:5 ending_before expand ids limit# shippable? starting_after type url
active? code coupon created:5 customer customer_account ending_before expand limit# starting_after
customer customer_account ending_before expand limit# starting_after status test_clock
created:5 ending_before expand limit# starting_after value value_list
alias contains created:5 ending_before expand limit# starting_after
created:5 ending_before expand limit# setup_intent starting_after
attach_to_self? created:5 customer customer_account ending_before expand limit# payment_method starting_after
active? created:5 currency ending_before expand limit# starting_after
ending_before expand limit# starting_after subscription
canceled_at:5 completed_at:5 created:5 customer customer_account ending_before expand limit# released_at:5 scheduled? starting_after
enabled?
automatic_tax:2m collection_method created:5 current_period_end:5 current_period_start:5 customer customer_account ending_before expand limit# plan price starting_after status test_clock
expand payment_intent
ending_before expand limit# starting_after type
account customer customer_account type
ending_before expand limit# owner:2q starting_after
active? created:5 ending_before expand inclusive? limit# starting_after
ending_before expand is_account_default? limit# starting_after
device_type ending_before expand limit# location serial_number starting_after status
created:5 ending_before expand limit# starting_after status
amount:5 created:5 ending_before expand limit# starting_after status
created:5 destination ending_before expand limit# starting_after transfer_group
ending_before expand financial_account limit# received_credit starting_after status
ending_before expand financial_account limit# received_debit resolution starting_after status
ending_before expand financial_account limit# starting_after status
created:5 customer ending_before expand financial_account limit# starting_after status
source_flow_type
ending_before expand financial_account limit# linked_flows:32 starting_after status
created:5 effective_at:5 ending_before expand financial_account limit# order_by starting_after transaction
posted_at:5
created:5 ending_before expand financial_account limit# order_by starting_after status status_transitions:35
fields future_requirements
account collect collection_options:37 expand refresh_url return_url type
disable_stripe_user_authentication? external_account_collection?
enabled? features:39
enabled? features:0
disable_stripe_user_authentication? edit_payout_schedule? external_account_collection? instant_payouts? standard_payouts?
enabled? features:3c
capture_payments? destination_on_behalf_of_charge_management? dispute_management? refund_management? smart_disputes_management?
enabled? features:3e
disable_stripe_user_authentication? external_account_collection? send_money? transfer_balance?
enabled? features:3g
card_spend_dispute_management?
enabled? features:3i
disable_stripe_user_authentication? external_account_collection? instant_payouts?
enabled? features:3k
card_management? card_spend_dispute_management? cardholder_management? spend_control_management?
enabled? features:3m
card_management? card_spend_dispute_management? cardholder_management? disable_stripe_user_authentication? spend_control_management?
enabled? features:3o
destination_on_behalf_of_charge_management? dispute_management? refund_management? smart_disputes_management?
enabled? features:3q
disable_stripe_user_authentication?
enabled? features:3s
account_management:3a account_onboarding:3a balance_report:3b balances:3d disputes_list:3f documents:3b financial_account:3h financial_account_transactions:3j instant_payouts_promotion:3l issuing_card:3n issuing_cards_list:3p notification_banner:3a payment_details:3f payment_disputes:3r payment_method_settings:3t payments:3f payout_details:3b payout_reconciliation_report:3b payouts:3d payouts_list:3b reporting_chart:3b tax_registrations:3b tax_settings:3b terminal_hardware_orders:3b terminal_hardware_shop:3b
account components:3u expand
amount# currency fiscal_year_end
amount# currency
city country line1 line2 postal_code state
annual_revenue:3w estimated_worker_count# mcc minority_owned_business_designation monthly_estimated_revenue:3x name product_description specified_commercial_transactions_act_url support_address:3y support_email support_phone support_url url
requested?
acss_debit_payments:40 affirm_payments:40 afterpay_clearpay_payments:40 alma_payments:40 amazon_pay_payments:40 app_distribution:40 au_becs_debit_payments:40 bacs_debit_payments:40 bancontact_payments:40 bank_transfer_payments:40 billie_payments:40 bizum_payments:40 blik_payments:40 blik_recurring_payments:40 boleto_payments:40 card_issuing:40 card_payments:40 cartes_bancaires_payments:40 cashapp_payments:40 crypto_payments:40 eps_payments:40 fpx_payments:40 gb_bank_transfer_payments:40 giropay_payments:40 grabpay_payments:40 ideal_payments:40 india_international_payments:40 jcb_payments:40 jp_bank_transfer_payments:40 kakao_pay_payments:40 klarna_payments:40 konbini_payments:40 kr_card_payments:40 legacy_payments:40 link_payments:40 mb_way_payments:40 mobilepay_payments:40 multibanco_payments:40 mx_bank_transfer_payments:40 naver_pay_payments:40 nz_bank_account_becs_debit_payments:40 oxxo_payments:40 p24_payments:40 pay_by_bank_payments:40 payco_payments:40 paynow_payments:40 paypay_payments:40 payto_payments:40 pix_payments:40 promptpay_payments:40 revolut_pay_payments:40 samsung_pay_payments:40 satispay_payments:40 scalapay_payments:40 sepa_bank_transfer_payments:40 sepa_debit_payments:40 sequra_payments:40 sofort_payments:40 sunbit_payments:40 swish_payments:40 tax_reporting_us_1099_k:40 tax_reporting_us_1099_misc:40 transfers:40 treasury:40 twint_payments:40 upi_payments:40 us_bank_account_ach_payments:40 us_bank_transfer_payments:40 wero_payments:40 zip_payments:40
city country line1 line2 postal_code state town
date# ip user_agent
day# month# year#
back front
document:45
address:3y address_kana:42 address_kanji:42 administrative_address:3y directors_provided? directorship_declaration:43 executives_provided? export_license_id export_purpose_code name name_kana name_kanji owners_provided? ownership_declaration:43 ownership_exemption_reason phone physical_address:3y principal_place_of_business:3y registration_date:44 registration_number representative_declaration:43 structure tax_id tax_id_registrar vat_id verification:46
payer
payments
type
fees:48 losses:49 requirement_collection stripe_dashboard:4a
files
person
files signer:4d
bank_account_ownership_verification:4c company_license:4c company_memorandum_of_association:4c company_ministerial_decree:4c company_registration_verification:4c company_tax_id_verification:4c proof_of_address:4c proof_of_business_presence:4c proof_of_ultimate_beneficial_ownership:4e
account_holder_name account_holder_type account_number country currency object routing_number
payments_pricing
director? executive? owner? percent_ownership# title
additional_document:45 document:45
address:3y address_kana:42 address_kanji:42 dob:44 email first_name first_name_kana first_name_kanji full_name_aliases gender id_number id_number_secondary last_name last_name_kana last_name_kanji maiden_name metadata:x phone political_exposure registered_address:3y relationship:4i ssn_last_4 verification:4j
display_name
icon logo primary_color secondary_color
tos_acceptance:43
avs_failure? cvc_failure?
decline_on:4o statement_descriptor_prefix statement_descriptor_prefix_kana statement_descriptor_prefix_kanji
hosted_payment_method_save
statement_descriptor statement_descriptor_kana statement_descriptor_kanji
delay_days# interval monthly_anchor# monthly_payout_days# weekly_anchor weekly_payout_days
debit_negative_balances? schedule:4s statement_descriptor
password username
payment_flow_file
accessible:0 in_development:4u restricted:4v type
additional_files goods_type site:4w
creditor_id
bacs_debit_payments:4l branding:4m card_issuing:4n card_payments:4p invoices:4q payments:4r payouts:4t paypay_payments:4x sepa_debit_payments:4y treasury:4n
date# ip service_agreement user_agent
account_token business_profile:3z business_type capabilities:41 company:47 controller:4b country default_currency documents:4f email expand external_account:4g groups:4h individual:4k metadata:x settings:4z tos_acceptance:50 type
bank_account_ownership_verification:4c company_license:4c company_memorandum_of_association:4c company_ministerial_decree:4c company_registration_verification:4c company_tax_id_verification:4c proof_of_address:4c proof_of_business_presence:4c proof_of_registration:4e proof_of_ultimate_beneficial_ownership:4e
account_holder_name account_holder_type account_number address_city address_country address_line1 address_line2 address_state address_zip country currency cvc default_for_currency? exp_month# exp_year# metadata:x name number object routing_number token
default_account_tax_ids hosted_payment_method_save
bacs_debit_payments:4l branding:4m card_issuing:4n card_payments:4p invoices:54 payments:4r payouts:4t paypay_payments:4x sepa_debit_payments:4y treasury:4n
account_token business_profile:3z business_type capabilities:41 company:47 default_currency documents:52 email expand external_account:53 groups:4h individual:4k metadata:x settings:55 tos_acceptance:50
expand requested?
account_holder_name account_holder_type account_number address_city address_country address_line1 address_line2 address_state address_zip country currency cvc exp_month# exp_year# metadata:x name number object routing_number token
default_for_currency? expand external_account:58 metadata:x
bank_account_ownership_verification:4c
account_holder_name account_holder_type account_type address_city address_country address_line1 address_line2 address_state address_zip default_for_currency? documents:5a exp_month exp_year expand metadata:x name
account:43
company_authorization:4c passport:4c visa:4c
authorizer? director? executive? legal_guardian? owner? percent_ownership# representative? title
ethnicity ethnicity_other
race race_other
ethnicity_details:5f race_details:5g self_identified_gender
additional_tos_acceptances:5c address:3y address_kana:42 address_kanji:42 dob:44 documents:5d email expand first_name first_name_kana first_name_kanji full_name_aliases gender id_number id_number_secondary last_name last_name_kana last_name_kanji maiden_name metadata:x nationality person_token phone political_exposure registered_address:3y relationship:5e ssn_last_4 us_cfpb_data:5h verification:4j
expand payouts_action reason
domain_name expand
amount# expand metadata:x
expand metadata:x
app channel code_challenge code_challenge_method expand
expand expires_at# name payload scope:e
payout_method transfer_up_to_amount# type
*:5p
*#
interval monthly_payout_days# weekly_payout_days
automatic_transfer_rules_by_currency:5q minimum_balance_by_currency:5r schedule:5s statement_descriptor
hour# minutes# timezone
delay_days_override# start_of_day:5u
debit_negative_balances? payouts:5t settlement_timing:5v
expand payments:5w
customer type
filters:5y gte# meter recurrence
alert_type expand title usage_threshold:5z
currency value#
monetary:61 type
scope:k
amount:62 applicability_config:63 category customer customer_account effective_at# expand expires_at# metadata:x name priority#
expand expires_at# metadata:x
description expand
identifier
cancel:67 event_name expand type
event_name expand identifier payload:x timestamp#
event_payload_key type
formula
event_payload_key
customer_mapping:6a default_aggregation:6b display_name event_name event_time_window expand value_settings:6c
display_name expand
headline privacy_policy_url terms_of_service_url
allowed_updates enabled?
enabled? payment_method_configuration
enabled? feedback_options options
cancellation_reason:6i enabled? mode proration_behavior
interval interval_count#
interval_options:6k type
duration:6l enabled?
enabled? maximum# minimum#
adjustable_quantity:6n prices product
conditions:4a
billing_cycle_anchor default_allowed_updates enabled? products:6o proration_behavior schedule_at_period_end:6p trial_update_behavior
customer_update:6g invoice_history:2m payment_method_update:6h subscription_cancel:6j subscription_pause:6m subscription_update:6q
business_profile:6f default_return_url expand features:6r login_page:2m metadata:x name
active? business_profile:6f default_return_url expand features:6r login_page:2m metadata:x name
expires_at#
customer_login:6u type
custom_message
return_url
hosted_confirmation:6w redirect:6x type
coupon
coupon_offer:6z type
retention:70 subscription
subscription
coupon promotion_code
id price quantity#
discounts:73 items:74 subscription
after_completion:6y subscription_cancel:71 subscription_pause:72 subscription_update:72 subscription_update_confirm:75 type
after_expiration:6v configuration customer customer_account expand flow_data:76 locale on_behalf_of return_url
account amount#
session
address:3y carrier name phone tracking_number
amount# description destination
amount# application_fee# application_fee_amount# capture? currency customer description destination:78 expand metadata:x on_behalf_of radar_options:79 receipt_email shipping:7a source statement_descriptor statement_descriptor_suffix transfer_data:7b transfer_group
user_report
customer description expand fraud_details:7d metadata:x receipt_email shipping:7a transfer_group
amount#
amount# application_fee# application_fee_amount# expand receipt_email statement_descriptor statement_descriptor_suffix transfer_data:7f transfer_group
allow_promotion_codes? enabled?
recovery:7h
account type
enabled? liability:7j
file type url
background_color border_style button_color display_name font_family icon:7l logo:7l
position
payment_method_reuse_agreement:7n promotions terms_of_service
label value
default_value options:7p
custom type
default_value maximum_length# minimum_length#
dropdown:7q key label:7r numeric:7s optional? text:7s type
message
after_submit:7u shipping_address:7u submit:7u terms_of_service_acceptance:7u
address name shipping
name value
amount_tax_display template
account_tax_ids custom_fields:7x description footer issuer:7j metadata:x rendering_options:7y
enabled? invoice_data:7z
performance_location tax_code
description images metadata:x name tax_code tax_details:81 unit_label
currency product product_data:82 recurring:6k tax_behavior unit_amount# unit_amount_decimal
adjustable_quantity:6n metadata:x price price_data:83 quantity# tax_rates
enabled? optional?
business:85 individual:85
adjustable_quantity:6n price quantity#
amount# destination
application_fee_amount# capture_method description metadata:x on_behalf_of receipt_email setup_future_usage shipping:7a statement_descriptor statement_descriptor_suffix transfer_data:88 transfer_group
allow_redisplay
custom_mandate_url default_for interval_description payment_schedule transaction_type
currency mandate_options:8b setup_future_usage target_date verification_method
capture_method setup_future_usage
setup_future_usage
capture_method
setup_future_usage target_date
reference_prefix
mandate_options:8h setup_future_usage target_date
mandate_options:6u setup_future_usage
expires_after_days# setup_future_usage
brands_blocked funding_types_blocked
capture_method installments:2m request_extended_authorization request_incremental_authorization request_multicapture request_overcapture request_three_d_secure restrictions:8l setup_future_usage statement_descriptor_suffix_kana statement_descriptor_suffix_kanji
country
eu_bank_transfer:8n requested_address_types type
bank_transfer:8o funding_type setup_future_usage
amount# date
interval interval_count# name next_billing:8q reference
capture_method setup_future_usage subscriptions:8r
setup_future_usage tos_shown_and_accepted?
capture_method preferred_locale reference risk_correlation_id setup_future_usage
amount# amount_type end_date payment_schedule payments_per_period# purpose start_date
mandate_options:8v setup_future_usage
amount# amount_includes_iof amount_type currency end_date payment_schedule reference start_date
amount_includes_iof expires_after_seconds# mandate_options:8x setup_future_usage
reference
amount# amount_type description end_date#
mandate_options:90 setup_future_usage
permissions prefetch
financial_connections:92 setup_future_usage target_date verification_method
app_id client setup_future_usage
acss_debit:8c affirm:8d afterpay_clearpay:8d alipay:8e alma:8f amazon_pay:8d au_becs_debit:8g bacs_debit:8i bancontact:8e billie:8f blik:8j boleto:8k card:8m cashapp:8d crypto:8e customer_balance:8p demo_pay:8e eps:8e fpx:8e giropay:8e grabpay:8e ideal:8e kakao_pay:8d klarna:8s konbini:8k kr_card:8d link:8d mobilepay:8d multibanco:8e naver_pay:8d oxxo:8k p24:8t pay_by_bank:0 payco:8d paynow:8e paypal:8u payto:8w pix:8y revolut_pay:8d samsung_pay:8d satispay:8f scalapay:8f sepa_debit:8i sequra:8f sofort:8e sunbit:8d swish:8z twint:8e upi:91 us_bank_account:93 wechat_pay:94
update_shipping_details
allow_redisplay_filters payment_method_remove payment_method_save
description metadata:x on_behalf_of
allowed_countries
unit value#
maximum:9a minimum:9a
amount# tax_behavior
*:9c
amount# currency currency_options:9d
delivery_estimate:9b display_name fixed_amount:9e metadata:x tax_behavior tax_code type
shipping_rate shipping_rate_data:9f
day_of_month# hour# minute# month# second#
proration_discounts
flexible:9i type
account_tax_ids custom_fields:7x description footer issuer:7j
amount_percent# destination
missing_payment_method
end_behavior:9m
application_fee_percent# billing_cycle_anchor# billing_cycle_anchor_config:9h billing_mode:9j default_tax_rates description invoice_settings:9k metadata:x on_behalf_of pending_invoice_item_interval:6k proration_behavior transfer_data:9l trial_end# trial_period_days# trial_settings:9n
enabled? required
display
link:9q
adaptive_pricing:2m after_expiration:7i allow_promotion_codes? allowed_payment_method_types automatic_tax:7k billing_address_collection branding_settings:7m cancel_url client_reference_id consent_collection:7o currency custom_fields:7t custom_text:7v customer customer_account customer_creation customer_email customer_update:7w discounts:73 excluded_payment_method_types expand expires_at# integration_identifier invoice_creation:80 line_items:84 locale managed_payments:2m metadata:x mode name_collection:86 optional_items:87 origin_context payment_intent_data:89 payment_method_collection payment_method_configuration payment_method_data:8a payment_method_options:95 payment_method_types permissions:96 phone_number_collection:2m redirect_on_completion return_url saved_payment_method_options:97 setup_intent_data:98 shipping_address_collection:99 shipping_options:9g submit_type subscription_data:9o success_url tax_id_collection:9p ui_mode wallet_options:9r
address:3y name
shipping_details:9t
adjustable_quantity:6n id metadata:x price price_data:83 quantity# tax_rates
description metadata:x setup_future_usage statement_descriptor statement_descriptor_suffix
collected_information:9u expand line_items:9v metadata:x payment_intent_data:9w shipping_options:9g
public_name
amount# beneficiary:9y currency expand metadata:x metric_tons product
beneficiary:9y expand metadata:x
products
amount_off#
*:a2
amount_off# applies_to:a1 currency currency_options:a3 duration duration_in_months# expand id max_redemptions# metadata:x name percent_off# redeem_by#
currency_options:a3 expand metadata:x name
expand memo metadata:x
payment_method_allow_redisplay_filters payment_method_remove
enabled? features:a7
payment_method_allow_redisplay_filters payment_method_redisplay payment_method_remove payment_method_save payment_method_save_allow_redisplay_override
enabled? features:a9
payment_method_allow_redisplay_filters payment_method_redisplay payment_method_redisplay_limit# payment_method_remove payment_method_save payment_method_save_usage
enabled? features:ab
active_entitlements:2m buy_button:2m customer_portal:2m customer_sheet:a8 mobile_payment_element:aa payment_element:ac pricing_table:2m
components:ad customer customer_account expand
reconciliation_mode
settings:af
custom_fields:7x default_payment_method footer rendering_options:7y
address:3y name phone
ip_address validate_location
type value
address:3y balance# business_name cash_balance:ag description email expand individual_name invoice_prefix invoice_settings:ah metadata:x name next_invoice_sequence# payment_method phone preferred_locales shipping:ai source tax:aj tax_exempt tax_id_data:ak test_clock validate?
address:3y balance# business_name cash_balance:ag default_source description email expand individual_name invoice_prefix invoice_settings:ah metadata:x name next_invoice_sequence# phone preferred_locales shipping:ai source tax:aj tax_exempt validate?
amount# currency description expand metadata:x
description expand metadata:x
expand settings:af
bank_transfer:8o currency expand funding_type
expand metadata:x source validate?
address:3y email name phone
account_holder_name account_holder_type address_city address_country address_line1 address_line2 address_state address_zip exp_month exp_year expand metadata:x name owner:as
amounts# expand
expand type value
reason_for_filing supporting_files
card:aw
fee_acknowledged?
customer_account_id customer_device_fingerprint customer_device_id customer_email_address customer_purchase_ip merchandise_or_services product_description shipping_address:3y
charge customer_account_id customer_device_fingerprint customer_device_id customer_email_address customer_purchase_ip product_description shipping_address:3y
disputed_transaction:az prior_undisputed_transactions:b0
mastercard_compliance:ay visa_compelling_evidence_3:b1 visa_compliance:ay
access_activity_log appeal:ax billing_address cancellation_policy cancellation_policy_disclosure cancellation_rebuttal customer_communication customer_email_address customer_name customer_purchase_ip customer_signature duplicate_charge_documentation duplicate_charge_explanation duplicate_charge_id enhanced_evidence:b2 product_description receipt refund_policy refund_policy_disclosure refund_refusal_explanation service_date service_documentation shipping_address shipping_carrier shipping_date shipping_documentation shipping_tracking_number uncategorized_file uncategorized_text
evidence:b3 expand intended_submission_method metadata:x submit?
expand lookup_key metadata:x name
active? expand metadata:x name
customer expand issuing_card nonce verification_session
expand expires_at# file metadata:x
at:0
data:b9 name type
create? expires_at# metadata:x
expand file:ba file_link_data:bb purpose
expand features
account_subcategories countries country require_payment_method_support
accounts#
mode
account_holder:2q expand filters:be limits:bf manual_entry:bg permissions prefetch return_url
body headers:7x
expand metadata:x payment_method replacements request:bi url
allowed_types require_id_number? require_live_capture? require_matching_selfie?
document:bk
email phone
account person
client_reference_id expand metadata:x options:bl provided_details:bm related_customer related_customer_account related_person:bn return_url type verification_flow
expand metadata:x options:bl provided_details:bm type
coupon discount promotion_code
end# start#
currency product tax_behavior unit_amount# unit_amount_decimal
price
amount# currency customer customer_account description discountable? discounts:bq expand invoice metadata:x period:br price_data:bs pricing:bt quantity# quantity_decimal subscription tax_behavior tax_code tax_rates unit_amount_decimal
amount# description discountable? discounts:bq expand invoicing_rules metadata:x period:br price_data:bs pricing:bt quantity# quantity_decimal tax_behavior tax_code tax_rates unit_amount_decimal
action invoice
transaction_type
mandate_options:bx verification_method
preferred_language
registered_address:3y registered_name registration_number registration_type vat
company_details:c0 reference
count# interval type
enabled? plan:c2
installments:c3 request_three_d_secure
eu_bank_transfer:8n type
bank_transfer:c5 funding_type
amount# purpose
mandate_options:c7
amount_includes_iof expires_after_seconds#
mandate_options:90
account_subcategories
filters:cb permissions prefetch
financial_connections:cc verification_method
acss_debit:by bancontact:bz billie:c1 blik:0 card:c4 customer_balance:c6 konbini:0 payto:c8 pix:c9 sepa_debit:0 upi:ca us_bank_account:cd
default_mandate payment_method_options:ce payment_method_types
page_size
amount_tax_display pdf:cg template template_version#
account_tax_ids application_fee_amount# auto_advance? automatic_tax:7k automatically_finalizes_at# collection_method currency custom_fields:7x customer customer_account days_until_due# default_payment_method default_source default_tax_rates description discounts:bq due_date# effective_at# expand footer from_invoice:bw issuer:7j metadata:x number on_behalf_of payment_settings:cf pending_invoice_items_behavior rendering:ch shipping_cost:9g shipping_details:ai statement_descriptor subscription transfer_data:88
account_tax_ids application_fee_amount# auto_advance? automatic_tax:7k automatically_finalizes_at# collection_method custom_fields:7x days_until_due# default_payment_method default_source default_tax_rates description discounts:bq due_date# effective_at# expand footer issuer:7j metadata:x number on_behalf_of payment_settings:cf rendering:ch shipping_cost:9g shipping_details:ai statement_descriptor transfer_data:88
currency product product_data:82 tax_behavior unit_amount# unit_amount_decimal
country description display_name inclusive? jurisdiction jurisdiction_level percentage# state tax_type
amount# tax_rate_data:cl taxability_reason taxable_amount#
amount# description discountable? discounts:bq invoice_item metadata:x period:br price_data:ck pricing:bt quantity# quantity_decimal tax_amounts:cm tax_rates
expand invoice_metadata:x lines:cn
expand payment_intent payment_record
auto_advance? expand
amount# description discountable? discounts:bq expand metadata:x period:br price_data:ck pricing:bt quantity# quantity_decimal tax_amounts:cm tax_rates
expand forgive? mandate off_session? paid_out_of_band? payment_method source
behavior id
expand invoice_metadata:x lines:ct
amount# description discountable? discounts:bq id metadata:x period:br price_data:ck pricing:bt quantity# quantity_decimal tax_amounts:cm tax_rates
expand invoice_metadata:x lines:cv
ip_address
address:3y shipping:ai tax:cx tax_exempt tax_ids:ak
amount# currency description discountable? discounts:bq invoiceitem metadata:x period:br price price_data:bs quantity# quantity_decimal tax_behavior tax_code tax_rates unit_amount# unit_amount_decimal
timestamp# type
outstanding_usage_through:4a unused_time_from:4a
bill_for:d1 invoicing_behavior type
pause_at:d0 settings:d2
duration:6k timestamp# type
billing_cycle_anchor payment_behavior proration_behavior
resume_at:d4 settings:d5
key pause:d3 resume:d6
end:d0 start:d0
discountable? discounts:bq metadata:x period:d8 price price_data:bs quantity# tax_rates
amount_gte# reset_billing_cycle_anchor?
account_tax_ids days_until_due# issuer:7j
usage_gte#
currency product recurring:6k tax_behavior unit_amount# unit_amount_decimal
billing_thresholds:dc discounts:bq metadata:x plan price price_data:dd quantity# tax_rates
add_invoice_items:d9 application_fee_percent# automatic_tax:7k billing_cycle_anchor billing_thresholds:da collection_method currency default_payment_method default_tax_rates description discounts:bq duration:6k end_date# invoice_settings:db items:de metadata:x on_behalf_of proration_behavior start_date# transfer_data:9l trial? trial_end#
billing_mode:9j end_behavior pause_schedules:d7 phases:df proration_behavior
price type
applies_to:dh bill_until:d4 key
trial_offer
billing_thresholds:dc clear_usage? current_trial:dj deleted? discounts:bq id metadata:x plan price price_data:dd quantity# tax_rates
billing_cycle_anchor billing_mode:9j billing_schedules:di cancel_at cancel_at_period_end? cancel_now? default_tax_rates items:dk metadata:x pause:d2 proration_behavior proration_date# resume_at start_date# trial_end#
automatic_tax:7k currency customer customer_account customer_details:cy discounts:bq expand invoice_items:cz issuer:7j on_behalf_of preview_mode schedule schedule_details:dg subscription subscription_details:dl
address:3y
tax_id
user_terms_acceptance:43
card_issuing:dp dob:44 first_name last_name verification:46
amount# categories interval
allowed_card_presences allowed_categories allowed_merchant_countries blocked_card_presences blocked_categories blocked_merchant_countries spending_limits:dr spending_limits_currency
billing:dn company:do email expand individual:dq metadata:x name phone_number preferred_locales spending_controls:ds status type
billing:dn company:do email expand individual:dq metadata:x phone_number preferred_locales spending_controls:ds status
payment_count#
cancel_after:dv
encrypted_number
eori_number
address:3y address_validation:bg business_name customs:dy name phone_number require_signature? service type
allowed_card_presences allowed_categories allowed_merchant_countries blocked_card_presences blocked_categories blocked_merchant_countries spending_limits:dr
cardholder currency exp_month# exp_year# expand financial_account lifecycle_controls:dw metadata:x personalization_design pin:dx replacement_for replacement_reason second_line shipping:dz spending_controls:e0 status type
cancellation_reason expand financial_account metadata:x personalization_design pin:dx shipping:dz spending_controls:e0 status
additional_documentation canceled_at# cancellation_policy_provided? cancellation_reason expected_at# explanation product_description product_type return_status returned_at#
additional_documentation card_statement cash_receipt check_image explanation original_transaction
additional_documentation explanation
additional_documentation explanation received_at# return_description return_status returned_at#
additional_documentation expected_at# explanation product_description product_type
additional_documentation explanation product_description product_type
additional_documentation canceled_at# cancellation_reason explanation received_at#
canceled:e3 duplicate:e4 fraudulent:e5 merchandise_not_as_described:e6 no_valid_authorization:e5 not_received:e7 other:e8 reason service_not_as_described:e9
received_debit
amount# evidence:ea expand metadata:x transaction treasury:eb
amount# evidence:ea expand metadata:x
footer_body footer_title header_body header_title
is_default?
card_logo carrier_text:ee expand lookup_key metadata:x name physical_bundle preferences:ef transfer_lookup_key?
expand status
commodity_code
image_url product_url reference subscription_reference
category description sold_by
card:ei card_present:ei klarna:ej paypal:ek
total_tax_amount#
discount_amount# payment_method_options:el product_code product_name quantity# tax:em unit_cost# unit_of_measure
amount# from_postal_code to_postal_code
discount_amount# enforce_arithmetic_validation? line_items:en shipping:eo tax:em
allow_redirects enabled?
calculation
tax:er
inputs:es
ip_address user_agent
accepted_at# offline:0 online:eu type
customer_acceptance:ev
customer_reference order_reference
account_number institution_number transit_number
account_number bsb_number
account_number sort_code
address:3y email name phone tax_id
bank
account_holder_type bank
dob:44
funding
account_holder_name account_number bank_code branch_code reference suffix
account_number bsb_number pay_id
iban
account_holder_type account_number account_type financial_connections_account routing_number
acss_debit:ey affirm:0 afterpay_clearpay:0 alipay:0 allow_redisplay alma:0 amazon_pay:0 au_becs_debit:ez bacs_debit:f0 bancontact:0 billie:0 billing_details:f1 bizum:0 blik:0 boleto:do cashapp:0 crypto:0 customer_balance:0 eps:f2 fpx:f3 giropay:0 grabpay:0 ideal:f2 interac_present:0 kakao_pay:0 klarna:f4 konbini:0 kr_card:0 link:0 mb_way:0 metadata:x mobilepay:0 multibanco:0 naver_pay:f5 nz_bank_account:f6 oxxo:0 p24:f2 pay_by_bank:0 payco:0 paynow:0 paypal:0 paypay:0 payto:f7 pix:0 promptpay:0 radar_options:79 revolut_pay:0 samsung_pay:0 satispay:0 scalapay:0 sepa_debit:f8 sequra:0 sofort:8n sunbit:0 swish:0 twint:0 type upi:ca us_bank_account:f9 wechat_pay:0 zip:0
custom_mandate_url interval_description payment_schedule transaction_type
mandate_options:fb setup_future_usage target_date verification_method
capture_method preferred_locale setup_future_usage
capture_method reference setup_future_usage
preferred_language setup_future_usage
capture_method company_details:c0 reference
code mandate_options:6u setup_future_usage
amount# amount_type description end_date# interval interval_count# reference start_date# supported_types
cb_avalgo cb_exemption cb_score#
cartes_bancaires:fj
ares_trans_status cryptogram electronic_commerce_indicator exemption_indicator network_options:fk requestor_challenge_indicator transaction_id version
capture_method cvc_token installments:c3 mandate_options:fi moto? network request_extended_authorization request_incremental_authorization request_multicapture request_overcapture request_three_d_secure require_cvc_recollection? setup_credential_usage setup_future_usage statement_descriptor_suffix_kana statement_descriptor_suffix_kanji stored_credential_usage three_d_secure:fl
requested_priority
capture_method request_extended_authorization? request_incremental_authorization_support? routing:fn
average_amount# maximum_amount# minimum_amount# purchase_interval purchase_interval_count#
capture_method on_demand:fp preferred_locale setup_future_usage subscriptions:8r
confirmation_number expires_after_days# expires_at# product_description setup_future_usage
capture_method persistent_token setup_future_usage
amount# amount_type end_date payment_schedule payments_per_period# purpose
mandate_options:ft setup_future_usage
amount_includes_iof expires_after_seconds# expires_at# mandate_options:8x setup_future_usage
reference setup_future_usage
filters:cb permissions prefetch return_url
collection_method
requested
financial_connections:fx mandate_options:fy networks:fz setup_future_usage target_date transaction_purpose verification_method
acss_debit:fc affirm:fd afterpay_clearpay:fe alipay:8e alma:8f amazon_pay:8d au_becs_debit:8g bacs_debit:8i bancontact:ff billie:fg bizum:0 blik:fh boleto:8k card:fm card_present:fo cashapp:8d crypto:8e customer_balance:8p eps:8e fpx:8e giropay:8e grabpay:8e ideal:8e interac_present:0 kakao_pay:8d klarna:fq konbini:fr kr_card:8d link:fs mb_way:8e mobilepay:8d multibanco:8e naver_pay:8d nz_bank_account:8g oxxo:8k p24:8t pay_by_bank:0 payco:8d paynow:8e paypal:8u paypay:0 payto:fu pix:fv promptpay:8e revolut_pay:8d samsung_pay:8d satispay:8d scalapay:8f sepa_debit:8i sequra:8d sofort:ff sunbit:8d swish:fw twint:8e upi:91 us_bank_account:g0 wechat_pay:94 zip:8e
referrer session
description metadata:x
amount# description destination metadata:x payment_data:g3
allowed_payment_method_types amount# amount_details:ep application_fee_amount# automatic_payment_methods:eq capture_method confirm? confirmation_method confirmation_token currency customer customer_account description error_on_requires_action? excluded_payment_method_types expand hooks:et mandate mandate_data:ew metadata:x off_session on_behalf_of payment_details:ex payment_method payment_method_configuration payment_method_data:fa payment_method_options:g1 payment_method_types radar_options:g2 receipt_email return_url setup_future_usage shipping:7a statement_descriptor statement_descriptor_suffix transfer_data:g4 transfer_group use_stripe_sdk?
amount# description metadata:x payment_data:g3
allowed_payment_method_types amount# amount_details:ep application_fee_amount# capture_method currency customer customer_account description excluded_payment_method_types expand hooks:et metadata:x payment_details:ex payment_method payment_method_configuration payment_method_data:fa payment_method_options:g1 payment_method_types receipt_email setup_future_usage shipping:7a statement_descriptor statement_descriptor_suffix transfer_data:g6 transfer_group
amount# currency expand
cancellation_reason expand
amount_details:ep amount_to_capture# application_fee_amount# expand final_capture? hooks:et metadata:x payment_details:ex statement_descriptor statement_descriptor_suffix transfer_data:7f
allowed_payment_method_types amount_details:ep amount_to_confirm# capture_method confirmation_token error_on_requires_action? excluded_payment_method_types expand hooks:et mandate mandate_data:ew off_session payment_details:ex payment_method payment_method_data:fa payment_method_options:g1 payment_method_types radar_options:g2 receipt_email return_url setup_future_usage shipping:7a use_stripe_sdk?
amount# amount_details:ep application_fee_amount# description expand hooks:et metadata:x payment_details:ex statement_descriptor transfer_data:7f
amounts# descriptor_code expand
url
hosted_confirmation:6w redirect:ge type
adjustable_quantity:6n price price_data:83 quantity#
capture_method description metadata:x setup_future_usage statement_descriptor statement_descriptor_suffix transfer_group
brands_blocked
restrictions:gi
card:gj
limit#
completed_sessions:gl
description invoice_settings:9k metadata:x trial_period_days# trial_settings:9n
after_completion:gf allow_promotion_codes? application_fee_amount# application_fee_percent# automatic_tax:7k billing_address_collection consent_collection:7o currency custom_fields:7t custom_text:7v customer_creation expand inactive_message invoice_creation:80 line_items:gg managed_payments:2m metadata:x name_collection:86 on_behalf_of optional_items:87 payment_intent_data:gh payment_method_collection payment_method_options:gk payment_method_types phone_number_collection:2m restrictions:gm shipping_address_collection:99 shipping_options:12 submit_type subscription_data:gn tax_id_collection:9p transfer_data:88
adjustable_quantity:6n id quantity#
description metadata:x setup_future_usage statement_descriptor statement_descriptor_suffix transfer_group
invoice_settings:9k metadata:x trial_period_days# trial_settings:9n
active? after_completion:gf allow_promotion_codes? application_fee_amount# application_fee_percent# automatic_tax:7k billing_address_collection consent_collection:7o custom_fields:7t custom_text:7v customer_creation expand inactive_message invoice_creation:80 line_items:gp metadata:x name_collection:86 on_behalf_of optional_items:87 payment_intent_data:gq payment_method_collection payment_method_options:gk payment_method_types phone_number_collection:2m restrictions:gm shipping_address_collection:99 shipping_options:12 submit_type subscription_data:gr tax_id_collection:9p transfer_data:88
preference
display_preference:gt
acss_debit:gu affirm:gu afterpay_clearpay:gu alipay:gu alma:gu amazon_pay:gu apple_pay:gu apple_pay_later:gu au_becs_debit:gu bacs_debit:gu bancontact:gu billie:gu bizum:gu blik:gu boleto:gu card:gu cartes_bancaires:gu cashapp:gu crypto:gu customer_balance:gu eps:gu expand fpx:gu fr_meal_voucher_conecs:gu giropay:gu google_pay:gu grabpay:gu ideal:gu jcb:gu kakao_pay:gu klarna:gu konbini:gu kr_card:gu link:gu mb_way:gu mobilepay:gu multibanco:gu name naver_pay:gu nz_bank_account:gu oxxo:gu p24:gu parent pay_by_bank:gu payco:gu paynow:gu paypal:gu paypay:gu payto:gu pix:gu promptpay:gu revolut_pay:gu samsung_pay:gu satispay:gu scalapay:gu sepa_debit:gu sequra:gu sofort:gu sunbit:gu swish:gu twint:gu upi:gu us_bank_account:gu wechat_pay:gu zip:gu
acss_debit:gu active? affirm:gu afterpay_clearpay:gu alipay:gu alma:gu amazon_pay:gu apple_pay:gu apple_pay_later:gu au_becs_debit:gu bacs_debit:gu bancontact:gu billie:gu bizum:gu blik:gu boleto:gu card:gu cartes_bancaires:gu cashapp:gu crypto:gu customer_balance:gu eps:gu expand fpx:gu fr_meal_voucher_conecs:gu giropay:gu google_pay:gu grabpay:gu ideal:gu jcb:gu kakao_pay:gu klarna:gu konbini:gu kr_card:gu link:gu mb_way:gu mobilepay:gu multibanco:gu name naver_pay:gu nz_bank_account:gu oxxo:gu p24:gu pay_by_bank:gu payco:gu paynow:gu paypal:gu paypay:gu payto:gu pix:gu promptpay:gu revolut_pay:gu samsung_pay:gu satispay:gu scalapay:gu sepa_debit:gu sequra:gu sofort:gu sunbit:gu swish:gu twint:gu upi:gu us_bank_account:gu wechat_pay:gu zip:gu
domain_name enabled? expand
enabled? expand
preferred
cvc exp_month# exp_year# networks:gz number token
acss_debit:ey affirm:0 afterpay_clearpay:0 alipay:0 allow_redisplay alma:0 amazon_pay:0 au_becs_debit:ez bacs_debit:f0 bancontact:0 billie:0 billing_details:f1 bizum:0 blik:0 boleto:do card:h0 cashapp:0 crypto:0 custom:4a customer customer_balance:0 eps:f2 expand fpx:f3 giropay:0 grabpay:0 ideal:f2 interac_present:0 kakao_pay:0 klarna:f4 konbini:0 kr_card:0 link:0 mb_way:0 metadata:x mobilepay:0 multibanco:0 naver_pay:f5 nz_bank_account:f6 oxxo:0 p24:f2 pay_by_bank:0 payco:0 payment_method paynow:0 paypal:0 paypay:0 payto:f7 pix:0 promptpay:0 radar_options:79 revolut_pay:0 samsung_pay:0 satispay:0 scalapay:0 sepa_debit:f8 sequra:0 sofort:8n sunbit:0 swish:0 twint:0 type upi:ca us_bank_account:f9 wechat_pay:0 zip:0
exp_month# exp_year# networks:gz
account_holder_type account_type
allow_redisplay billing_details:f1 card:h2 expand metadata:x payto:f7 us_bank_account:h3
customer customer_account expand
canceled_at#
failed_at#
guaranteed_at#
display_name type
billing_details:as custom:h9 payment_method type
canceled:h6 description expand failed:h7 guaranteed:h8 initiated_at# metadata:x outcome payment_method_details:ha shipping_details:ai
canceled_at# expand metadata:x
expand failed_at# metadata:x
expand guaranteed_at# metadata:x
customer email name phone
customer_details:hf description expand metadata:x shipping_details:ai
refund_reference
custom:hh type
refunded_at#
amount:61 expand initiated_at# metadata:x outcome processor_details:hi refunded:hj
payment_reference
custom:hl type
amount_requested:61 canceled:h6 customer_details:hf customer_presence description expand failed:h7 guaranteed:h8 initiated_at# metadata:x outcome payment_method_details:ha processor_details:hm shipping_details:ai
amount# currency description destination expand metadata:x method payout_method source_type statement_descriptor
active? id metadata:x name statement_descriptor tax_code tax_details:81 unit_label
flat_amount# flat_amount_decimal unit_amount# unit_amount_decimal up_to#
divide_by# round
active? amount# amount_decimal billing_scheme currency expand id interval interval_count# metadata:x meter nickname product:hp tiers:hq tiers_mode transform_usage:hr trial_period_days# usage_type
active? expand metadata:x nickname product trial_period_days#
enabled? maximum# minimum# preset#
custom_unit_amount:hu tax_behavior tiers:hq unit_amount# unit_amount_decimal
*:hv
interval interval_count# meter trial_period_days# usage_type
active? billing_scheme currency currency_options:hw custom_unit_amount:hu expand lookup_key metadata:x nickname product product_data:hp recurring:hx tax_behavior tiers:hq tiers_mode transfer_lookup_key? transform_quantity:hr unit_amount# unit_amount_decimal
active? currency_options:hw expand lookup_key metadata:x nickname tax_behavior transfer_lookup_key?
iterations#
relative:i0 type
transition:bt
active? duration:i1 end_behavior:i2 expand nickname price
active? expand
currency currency_options:hw custom_unit_amount:hu metadata:x recurring:6k tax_behavior unit_amount# unit_amount_decimal
name
height# length# weight# width#
active? default_price_data:i5 description expand id images marketing_features:i6 metadata:x name package_dimensions:i7 shippable? statement_descriptor tax_code tax_details:81 type unit_label url
active? default_price description expand images marketing_features:i6 metadata:x name package_dimensions:i7 shippable? statement_descriptor tax_code tax_details:81 unit_label url
entitlement_feature expand
coupon type
minimum_amount#
*:ic
currency_options:id first_time_transaction? minimum_amount# minimum_amount_currency
active? code customer customer_account expand expires_at# max_redemptions# metadata:x promotion:ib restrictions:ie
currency_options:id
active? expand metadata:x restrictions:ig
is_revision? quote
custom_fields:7x days_until_due# description footer issuer:7j
discounts:bq price price_data:dd quantity# tax_rates
billing_mode:9j description effective_date# metadata:x trial_period_days#
amount# amount_percent# destination
application_fee_amount# application_fee_percent# automatic_tax:7k collection_method customer customer_account default_tax_rates description discounts:bq expand expires_at# footer from_quote:ii header invoice_settings:ij line_items:ik metadata:x on_behalf_of subscription_data:il test_clock transfer_data:im
discounts:bq id price price_data:dd quantity# tax_rates
description effective_date# metadata:x trial_period_days#
application_fee_amount# application_fee_percent# automatic_tax:7k collection_method customer customer_account default_tax_rates description discounts:bq expand expires_at# footer header invoice_settings:ij line_items:io metadata:x on_behalf_of subscription_data:ip transfer_data:im
expand expires_at#
radar_session
customer customer_account email name phone
customer_presence payment_type
card:iu money_movement_type
billing_details:as payment_method
amount# currency description money_movement_details:iv payment_method_details:iw shipping_details:ai statement_descriptor
client_device_metadata_details:is customer_details:it expand metadata:x payment_details:ix
expand value value_list
alias expand item_type metadata:x name
alias expand metadata:x name
amount# charge currency customer expand instructions_email metadata:x origin payment_intent reason refund_application_fee? reverse_transfer?
columns connected_account currency interval_end# interval_start# payout reporting_category timezone
expand parameters:j3 report_type
currency mandate_options:8b verification_method
mandate_options:8h
code mandate_options:6u
amount# amount_type currency description end_date# interval interval_count# reference start_date# supported_types
ares_trans_status cryptogram electronic_commerce_indicator network_options:fk requestor_challenge_indicator transaction_id version
mandate_options:j8 moto? network request_three_d_secure setup_credential_usage three_d_secure:j9
currency on_demand:fp preferred_locale subscriptions:8r
persistent_token
billing_agreement_id
mandate_options:8v
mandate_options:8x
financial_connections:fx mandate_options:fy networks:fz verification_method
acss_debit:j5 amazon_pay:0 bacs_debit:j6 bizum:0 blik:j7 card:ja card_present:0 klarna:jb link:jc paypal:jd payto:je pix:jf sepa_debit:j6 upi:91 us_bank_account:jg
allowed_payment_method_types attach_to_self? automatic_payment_methods:eq confirm? confirmation_token customer customer_account description excluded_payment_method_types expand flow_directions mandate_data:ew metadata:x on_behalf_of payment_method payment_method_configuration payment_method_data:fa payment_method_options:jh payment_method_types return_url single_use:3x usage use_stripe_sdk?
allowed_payment_method_types attach_to_self? customer customer_account description excluded_payment_method_types expand flow_directions metadata:x payment_method payment_method_configuration payment_method_data:fa payment_method_options:jh payment_method_types
allowed_payment_method_types confirmation_token expand mandate_data:ew payment_method payment_method_data:fa payment_method_options:jh return_url use_stripe_sdk?
delivery_estimate:9b display_name expand fixed_amount:9e metadata:x tax_behavior tax_code type
currency_options:9d
active? expand fixed_amount:jm metadata:x tax_behavior
contact_email
date# ip offline:jo online:43 status type user_agent
acceptance:jp amount# currency interval notification_method
refund_attributes_method
amount# currency description parent quantity# type
items:js shipping:7a
amount# currency customer expand flow mandate:jq metadata:x original_source owner:as receiver:jr redirect:6x source_order:jt statement_descriptor token type usage
amount# expand mandate:jq metadata:x owner:as source_order:jt
expand values
billing_thresholds:dc current_trial:dj discounts:bq expand metadata:x payment_behavior plan price price_data:dd proration_behavior proration_date# quantity# subscription tax_rates
billing_thresholds:dc current_trial:dj discounts:bq expand metadata:x off_session? payment_behavior plan price price_data:dd proration_behavior proration_date# quantity# tax_rates
account_tax_ids custom_fields:7x days_until_due# description footer issuer:7j
application_fee_percent# automatic_tax:7k billing_cycle_anchor billing_thresholds:da collection_method default_payment_method description invoice_settings:jz on_behalf_of transfer_data:9l
add_invoice_items:d9 application_fee_percent# automatic_tax:7k billing_cycle_anchor billing_thresholds:da collection_method currency default_payment_method default_tax_rates description discounts:bq duration:6k end_date# invoice_settings:jz items:de metadata:x on_behalf_of proration_behavior transfer_data:9l trial? trial_end#
billing_mode:9j customer customer_account default_settings:k0 end_behavior expand from_subscription metadata:x pause_schedules:d7 phases:k1 start_date#
add_invoice_items:d9 application_fee_percent# automatic_tax:7k billing_cycle_anchor billing_thresholds:da collection_method currency default_payment_method default_tax_rates description discounts:bq duration:6k end_date# invoice_settings:jz items:de metadata:x on_behalf_of proration_behavior start_date# transfer_data:9l trial? trial_end#
default_settings:k0 end_behavior expand metadata:x pause_schedules:d7 phases:k3 proration_behavior
expand invoice_now? prorate?
expand preserve_cancel_date?
billing_thresholds:dc current_trial:dj discounts:bq metadata:x plan price price_data:dd quantity# tax_rates
company_details:c0
mandate_options:6u
amount# amount_type description
mandate_options:ka network request_three_d_secure
amount# amount_includes_iof end_date payment_schedule
expires_after_seconds# mandate_options:kc
acss_debit:by bancontact:bz billie:k8 blik:k9 card:kb customer_balance:c6 konbini:0 payto:c8 pix:kd sepa_debit:0 upi:ca us_bank_account:cd
payment_method_options:ke payment_method_types save_default_payment_method
billing_cycle_anchor missing_payment_method
end_behavior:kg
add_invoice_items:d9 application_fee_percent# automatic_tax:7k backdate_start_date# billing_cycle_anchor# billing_cycle_anchor_config:9h billing_mode:9j billing_schedules:di billing_thresholds:da cancel_at cancel_at_period_end? collection_method currency customer customer_account days_until_due# default_payment_method default_source default_tax_rates description discounts:bq expand invoice_settings:9k items:k7 metadata:x off_session? on_behalf_of payment_behavior payment_settings:kf pending_invoice_item_interval:6k proration_behavior transfer_data:9l trial_end# trial_from_plan? trial_period_days# trial_settings:kh
behavior resumes_at#
add_invoice_items:d9 application_fee_percent# automatic_tax:7k billing_cycle_anchor billing_schedules:di billing_thresholds:da cancel_at cancel_at_period_end? cancellation_details:3 collection_method days_until_due# default_payment_method default_source default_tax_rates description discounts:bq expand invoice_settings:9k items:dk metadata:x off_session? on_behalf_of pause_collection:kj payment_behavior payment_settings:kf pending_invoice_item_interval:6k proration_behavior proration_date# transfer_data:9l trial_end# trial_from_plan? trial_settings:kh
billing_mode:9j expand
bill_for:d1 expand invoicing_behavior type
billing_cycle_anchor expand payment_behavior proration_behavior proration_date#
address:3y address_source ip_address tax_ids:ak taxability_override
amount# metadata:x performance_location product quantity# reference tax_behavior tax_code
amount# shipping_rate tax_behavior tax_code
currency customer customer_details:ko expand line_items:kp ship_from_details:dn shipping_cost:kq tax_date#
address:3y description expand type
place_of_supply_scheme
standard:kt type
igic:kt standard:kt type
province
province_standard:kw type
jurisdiction
jurisdiction type
elections:kz
admissions_tax:ky attendance_tax:ky entertainment_tax:ky gross_receipts_tax:ky hospitality_tax:ky local_amusement_tax:ky local_lease_tax:ky luxury_tax:ky mass_transit_parking_tax:ky parking_tax:ky resort_tax:ky state state_sales_tax:l0 tourism_tax:ky type utility_users_tax:ky
ae:ku al:ku am:4a ao:ku at:kv au:ku aw:ku az:4a ba:ku bb:ku bd:ku be:kv bf:ku bg:kv bh:ku bj:4a bs:ku bw:4a by:4a ca:kx cd:ku ch:ku ci:4a cl:4a cm:4a co:4a cr:4a cv:4a cy:kv cz:kv de:kv dk:kv ec:4a ee:kv eg:4a es:kv et:ku fi:kv fr:kv gb:ku ge:4a gh:4a gn:ku gr:kv hr:kv hu:kv id:4a ie:kv in:4a is:ku it:kv jp:ku ke:4a kg:4a kh:4a kr:4a kz:4a la:4a lk:4a lt:kv lu:kv lv:kv ma:4a md:4a me:ku mk:ku mr:ku mt:kv mu:4a mx:4a my:4a ng:4a nl:kv no:ku np:4a nz:ku om:ku pe:4a ph:4a pl:kv pt:kv ro:kv rs:ku ru:4a sa:4a se:kv sg:ku si:kv sk:kv sn:4a sr:ku th:4a tj:4a tr:4a tw:4a tz:4a ua:4a ug:4a us:l1 uy:ku uz:4a vn:4a za:ku zm:4a zw:ku
active_from# country country_options:l2 expand expires_at#
active_from# expand expires_at#
tax_behavior tax_code
defaults:l5 expand head_office:dn
calculation expand metadata:x posted_at# reference
amount# amount_tax# metadata:x original_line_item quantity# reference
amount# amount_tax#
expand flat_amount# line_items:l8 metadata:x mode original_transaction reference shipping_cost:l9
expand owner:2q type value
active? country description display_name expand inclusive? jurisdiction metadata:x percentage# state tax_type
active? country description display_name expand jurisdiction metadata:x state tax_type
splashscreen
admin_menu_passcode
end_hour# start_hour#
fixed_amounts# percentages# smart_tip_threshold#
aed:lh aud:lh cad:lh chf:lh czk:lh dkk:lh eur:lh gbp:lh gip:lh hkd:lh huf:lh jpy:lh mxn:lh myr:lh nok:lh nzd:lh pln:lh ron:lh sek:lh sgd:lh usd:lh
ca_certificate_file password ssid username
ca_certificate_file client_certificate_file private_key_file private_key_file_password ssid
password ssid
enterprise_eap_peap:lj enterprise_eap_tls:lk personal_psk:ll type
bbpos_wisepad3:le bbpos_wisepos_e:le cellular:2m expand name offline:2m reader_security:lf reboot_window:lg stripe_s700:le stripe_s710:le stripe_t600:le tipping:li verifone_m425:le verifone_p400:le verifone_p630:le verifone_ux700:le verifone_v660p:le wifi:lm
expand location
address:3y address_kana:42 address_kanji:42 configuration_overrides display_name display_name_kana display_name_kanji expand metadata:x phone
allow_relinking? merchant_display_name
apple_terms_and_conditions:lq
expand link_options:lr link_type on_behalf_of
expand label location metadata:x registration_code
expand label metadata:x
description skip_button submit_button title
id style text
choices:lw
default_value description title
custom_text:lv required? selection:lx toggles:ly type
expand inputs:lz metadata:x
amount_eligible#
allow_redisplay enable_customer_cancellation? skip_tipping? tipping:m1
collect_config:m2 expand payment_intent
confirm_config:6x expand payment_intent
allow_redisplay enable_customer_cancellation? return_url skip_tipping? tipping:m1
expand payment_intent process_config:m5
enable_customer_cancellation?
allow_redisplay expand process_config:m7 setup_intent
amount# charge expand metadata:x payment_intent refund_application_fee? refund_payment_config:m7 reverse_transfer?
amount# description quantity#
currency line_items:ma tax# total#
cart:mb expand type
plan:c2
installments:md
card:me
expand payment_method payment_method_data:fa payment_method_options:mf return_url setup_future_usage shipping:ai
amount# currency expand reference
atm_fee# cashback_amount#
driver_id odometer# unspecified_id user_id vehicle_number
gross_amount_decimal
local_amount_decimal national_amount_decimal
fuel:mk non_fuel:mk tax:ml
cardholder_prompt_data:mj purchase_type reported_breakdown:mm service_type
industry_product_code quantity_decimal type unit unit_cost_decimal
category city country name network_id postal_code state terminal_id url
acquiring_institution_id
invalid_account_number_decline_rate_past_hour# invalid_credentials_decline_rate_past_hour# level
level score#
dispute_rate# level
card_testing_risk:mr fraud_risk:ms merchant_dispute_risk:mt
claimed_by type
result
address_line1_check address_postal_code_check authentication_exemption:mv cvc_check expiry_check three_d_secure:mw
amount# amount_details:mi authorization_method card currency expand fleet:mn fraud_disputability_likelihood fuel:mo is_amount_controllable? merchant_amount# merchant_currency merchant_data:mp network_data:mq risk_assessment:mu verification_data:mx wallet
arrival_airport_code carrier departure_airport_code flight_number service_class stopover_allowed?
departure_at# passenger_name refundable? segments:mz travel_agency
check_in_at# nights#
description quantity total# unit_cost#
fleet:mn flight:n0 fuel:mo lodging:n1 receipt:n2 reference
capture_amount# close_authorization? expand purchase_details:n3
expand final_amount# fleet:mn fuel:mo
confirmed? expand
expand increment_amount# is_amount_controllable?
expand reverse_amount#
card_logo carrier_text
expand rejection_reasons:n9
expand refund_amount#
amount# card currency expand merchant_data:mp purchase_details:n3
cvc exp_month# exp_year# number
number
amount_tip# card:nd card_present:ne expand interac_present:ne type
expand skip_non_required_inputs
customer expand frozen_time# name
expand frozen_time#
code
expand failure_details:nj
trace_id
chips imad omad
ach:nl type us_domestic_wire:nm
expand tracking_details:nn
expand returned_details:nj
account_holder_name account_number routing_number
type us_bank_account:nq
amount# currency description expand financial_account initiating_payment_method_details:nr network
acquirer_bin acquirer_country acquirer_merchant_id mcc merchant_name requestor_id
accept_header color_depth# device_id ip_address java_enabled? javascript_enabled? language screen_height# screen_width# timezone_offset# user_agent
previous_authentication type
browser:nu three_r_i:nv type
challenge:4a data_share:4a frictionless:4a type
date type
amount# expiry:ny interval interval_count# number#
amount# expiry:ny interval interval_count#
installment:nz recurring:o0 type
cvc exp_month# exp_year# number token
billing_details:as card:o2 type
acquirer_details:nt amount# channel:nw currency directory_server expand flow_preference:nx future_usage:o1 message_category metadata:x payment_method payment_method_data:o3 reason shipping_address:3y submit
expand fingerprinting_result metadata:x
address:3y address_kana:42 address_kanji:42 administrative_address:3y directors_provided? directorship_declaration:43 executives_provided? export_license_id export_purpose_code name name_kana name_kanji owners_provided? ownership_declaration:43 ownership_declaration_shown_and_signed? ownership_exemption_reason phone physical_address:3y principal_place_of_business:3y registration_date:44 registration_number representative_declaration:43 structure tax_id tax_id_registrar vat_id verification:46
business_type company:o6 individual:4k tos_shown_and_accepted?
account_holder_name account_holder_type account_number account_type country currency payment_method routing_number
address_city address_country address_line1 address_line2 address_state address_zip currency cvc exp_month exp_year name networks:gz number
cvc
additional_tos_acceptances:5c address:3y address_kana:42 address_kanji:42 dob:44 documents:5d email first_name first_name_kana first_name_kanji full_name_aliases gender id_number id_number_secondary last_name last_name_kana last_name_kanji maiden_name metadata:x nationality phone political_exposure registered_address:3y relationship:5e ssn_last_4 us_cfpb_data:5h verification:4j
id_number
account:o7 bank_account:o8 card:o9 customer cvc_update:oa expand person:ob pii:oc
network
us_bank_account:oe
amount# currency description expand metadata:x payment_method payment_method_options:of source statement_descriptor transfer_group
amount# currency description destination expand metadata:x source_transaction source_type transfer_group
amount# description expand metadata:x refund_application_fee?
expand metadata:x received_credit
expand metadata:x received_debit
aba:40
ach:40
ach:40 us_domestic_wire:40
card_issuing:40 deposit_insurance:40 financial_addresses:ol inbound_transfers:om intra_stripe_flows:40 outbound_payments:on outbound_transfers:on
inbound_flows outbound_flows
expand features:oo metadata:x nickname platform_restrictions:op supported_currencies
financial_account payment_method type
expand features:oo forwarding_settings:or metadata:x nickname platform_restrictions:op
expand forwarding_settings:or
card_issuing:40 deposit_insurance:40 expand financial_addresses:ol inbound_transfers:om intra_stripe_flows:40 outbound_payments:on outbound_transfers:on
amount# currency description expand financial_account metadata:x origin_payment_method statement_descriptor
billing_details:as financial_account metadata:x type us_bank_account:f9
ip_address present?
amount# currency customer description destination_payment_method destination_payment_method_data:ow destination_payment_method_options:of end_user_details:ox expand financial_account metadata:x statement_descriptor
financial_account type
amount# currency description destination_payment_method destination_payment_method_data:oz destination_payment_method_options:of expand financial_account metadata:x statement_descriptor
api_version connect? description enabled_events expand metadata:x url
description disabled? enabled_events expand metadata:x url`;
